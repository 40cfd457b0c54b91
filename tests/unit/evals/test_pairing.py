from __future__ import annotations

from evals.pairing import parts, share_right, shared
from tests.unit.evals.records import record, refused


def test_other_sets_and_other_settings_are_never_compared() -> None:
    records = [record(1), record(2, set="b"), record(3, settings="5e771"), record(4)]
    assert [[r.id for r in part.records] for part in parts(records)] == [["q1", "q4"], ["q2"], ["q3"]]


def test_filters_part_only_what_was_asked_both_ways() -> None:
    mixed = [record(1, filtered=True), record(2)]
    assert [part.filtered for part in parts(mixed)] == [None]
    both = [*mixed, record(1)]
    assert [(p.filtered, [r.id for r in p.records]) for p in parts(both)] == [(False, ["q2", "q1"]), (True, ["q1"])]
    assert [part.name for part in parts(both)] == ["made, without the filter", "made, under the filter"]


def test_modes_share_their_questions_in_one_order() -> None:
    found = shared([record(2), record(1), record(1, mode="b"), record(2, mode="b"), record(3)], ("b", "loop", "none"))
    assert {mode: [group[0].id for group in of] for mode, of in found.items()} == {
        "b": ["q1", "q2"],
        "loop": ["q1", "q2"],
    }


def test_each_question_counts_once_however_often_it_was_repeated() -> None:
    found = shared([record(1), *(refused(2, repeat=n) for n in range(3)), record(2, repeat=3)], ("loop",))["loop"]
    assert share_right(found) == (1 + 1 / 4) / 2
