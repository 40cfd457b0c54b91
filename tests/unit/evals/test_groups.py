from __future__ import annotations

from evals.groups import groups
from evals.record import Record
from tests.unit.evals.records import record


def shape(*records: Record) -> list[tuple[str, str, bool | None, int]]:
    return [(one.mode, one.kind, one.filtered, len(one.records)) for one in groups(records)]


def test_all_of_a_mode_then_each_kind() -> None:
    asked = [record(1, kind="b"), record(2, kind="a"), record(1, kind="b", mode="hybrid")]
    assert shape(*asked) == [
        ("loop", "all", None, 2),
        ("loop", "a", None, 1),
        ("loop", "b", None, 1),
        ("hybrid", "all", None, 1),
    ]


def test_under_filters_is_a_row_of_its_own_only_where_a_question_was_asked_both_ways() -> None:
    assert shape(record(1, filtered=True), record(2)) == [("loop", "all", None, 2)]
    both = [record(1), record(2), record(1, filtered=True)]
    assert shape(*both) == [("loop", "all", False, 2), ("loop", "all", True, 1)]
