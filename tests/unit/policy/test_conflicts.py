"""What is in conflict, found anew from a ledger."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from evidence import Disagreement, Evidence, Gap, LedgerEntry
from policy import ledger
from policy.conflicts import had_its_round, settled, worth_a_round
from state import SubQuestion
from tests.unit.policy.test_ledger import evidence

TODAY = dt.date(2026, 6, 15)
QUESTIONS: list[SubQuestion] = [{"id": "q1", "text": "录像保存多久", "required": True}]


def says(name: str, quote: str, score: float = 0.9, **more: Any) -> Evidence:
    own = {"doc_id": name, "title": name, "quote": quote, "end": len(quote)}
    return cast(Evidence, {**evidence("q1", f"{name}#1", score), **own, **more})


def settle(
    *found: Evidence, before: tuple[Disagreement, ...] = (), round_: int = 0, current: dict[str, str] | None = None
) -> tuple[list[LedgerEntry], list[Disagreement]]:
    book = ledger.record(QUESTIONS, [], found)
    return settled(QUESTIONS, book, before, threshold=0.7, day=TODAY, round_=round_, current=current or {})


def outdated(entries: list[LedgerEntry]) -> dict[str, str]:
    return {e["doc_id"]: e["superseded"]["why"] for x in entries for e in x["evidence"] if "superseded" in e}


A, B = says("a", "申请要书面提出。录像保存三十日。"), says("b", "录像保存7天。", 0.8)


def test_two_current_sources_with_different_values() -> None:
    entries, (conflict,) = settle(A, B)
    assert [(side["doc_id"], side["value"], side["quote"]) for side in conflict["sides"]] == [
        ("a", "30日", "录像保存三十日。"),
        ("b", "7天", "录像保存7天。"),
    ]
    side = conflict["sides"][0]
    assert A["quote"][side["start"] : side["end"]] == side["quote"]
    assert outdated(entries) == {}
    assert ledger.link(entries, [conflict], "q1") == 0.0


def test_the_same_value_in_other_words_is_no_conflict() -> None:
    assert settle(A, says("b", "录像保存30天。"))[1] == []


def test_evidence_under_the_threshold_contradicts_nothing() -> None:
    assert settle(A, says("b", "录像保存7天。", 0.69))[1] == []


def test_of_sources_that_say_the_same_the_best_one_is_the_side() -> None:
    _, (conflict,) = settle(A, says("c", "录像保存30天。", 0.75), B)
    assert [side["doc_id"] for side in conflict["sides"]] == ["a", "b"]
    _, (three,) = settle(A, B, says("c", "录像保存90天。", 0.75))
    assert [side["doc_id"] for side in three["sides"]] == ["a", "b", "c"]


def test_the_older_source_yields_and_weighs_nothing() -> None:
    entries, conflicts = settle({**A, "effective_from": "2020-01-01"}, {**B, "effective_from": "2024-01-01"})
    assert (conflicts, outdated(entries)) == ([], {"a": "newer"})
    assert ledger.link(entries, conflicts, "q1") == 0.8


def test_a_third_source_settles_what_two_left_open() -> None:
    old = {"effective_from": "2020-01-01"}
    third = says("c", "录像保存90天。", effective_from="2025-01-01")
    entries, conflicts = settle(cast(Evidence, {**A, **old}), cast(Evidence, {**B, **old}), third)
    assert (conflicts, outdated(entries)) == ([], {"a": "newer", "b": "newer"})


def test_one_that_is_named_as_superseding_wins_whatever_its_words() -> None:
    named = {"superseded_by": ["c"]}
    third = says("c", "影像资料留存九十天。")
    entries, conflicts = settle(cast(Evidence, {**A, **named}), cast(Evidence, {**B, **named}), third)
    assert (conflicts, outdated(entries)) == ([], {"a": "replaced", "b": "replaced"})


def test_of_a_row_of_sources_the_last_one_is_named() -> None:
    first = {**A, "superseded_by": ["b"]}
    second = {**B, "superseded_by": ["c"]}
    entries, _ = settle(cast(Evidence, first), cast(Evidence, second), says("c", "影像留存九十天。"))
    marks = [e["superseded"] for e in entries[0]["evidence"] if "superseded" in e]
    assert [mark["doc_id"] for mark in marks] == ["c", "c"]


def test_metadata_that_go_round_in_a_circle_settle_nothing() -> None:
    circle = [
        {**says(n, f"录像保存{k}天。"), "superseded_by": [m]}
        for n, k, m in (("a", 1, "b"), ("b", 2, "c"), ("c", 3, "a"))
    ]
    entries, conflicts = settle(*cast(list[Evidence], circle))
    assert outdated(entries) == {}
    assert len(conflicts) == 1


def test_versions_of_one_document_never_disagree() -> None:
    old, new = (
        says("a", "录像保存30日。", chunk_id="a#1", version="1"),
        says("a", "录像保存7天。", chunk_id="a#2", version="2"),
    )
    entries, conflicts = settle(old, new, current={"a": "2"})
    assert conflicts == []
    assert [(e["version"], e["superseded"]["why"]) for e in entries[0]["evidence"] if "superseded" in e] == [
        ("1", "version")
    ]
    again, _ = settled(QUESTIONS, entries, [], threshold=0.7, day=TODAY, round_=1, current={})
    assert again == entries, "an old version does not become current again"
    assert settle(old, new)[1] == []


def test_two_places_of_one_document_may_be_rule_and_exception() -> None:
    rule = says("a", "录像保存30日。", chunk_id="a#1")
    assert settle(rule, says("a", "但录像保存7天。", chunk_id="a#2"))[1] == []
    assert len(settle(rule, says("a", "录像保存7天。", chunk_id="a#2"))[1]) == 1


def test_what_a_reasoner_names_counts_between_sources_that_are_strong_enough() -> None:
    one, other = says("a", "录像由物业保存。"), says("b", "录像由开发商留存。", contradicts=["a#1"])
    _, (conflict,) = settle(one, other)
    assert [(side["doc_id"], side.get("value")) for side in conflict["sides"]] == [("a", None), ("b", None)]
    weak = cast(Evidence, {**other, "grade": {**other["grade"], "score": 0.6}})
    assert settle(one, weak)[1] == []
    assert settle(one, cast(Evidence, {**other, "contradicts": ["nowhere#1"]}))[1] == []
    within = cast(Evidence, {**other, "doc_id": "a", "chunk_id": "a#2"})
    assert settle(one, within)[1] == []


def test_the_round_of_a_conflict_is_the_one_that_found_it() -> None:
    _, first = settle(A, B, round_=1)
    _, again = settle(A, B, before=tuple(first), round_=2)
    assert [conflict["round"] for conflict in again] == [1]
    assert not had_its_round(first[0], 1)
    assert had_its_round(first[0], 2)
    of_old: Disagreement = {"sub_question_id": "q1", "sides": []}
    assert had_its_round(of_old, 1)


def test_a_conflict_is_worth_one_round_and_a_gap_any() -> None:
    _, conflicts = settle(A, B)
    gaps: list[Gap] = [
        {"sub_question_id": "q1", "kind": "conflict", "text": "录像保存多久", "tried": []},
        {"sub_question_id": "q2", "kind": "missing", "text": "谁来付", "tried": []},
    ]
    assert worth_a_round(gaps, conflicts, 0) == gaps
    assert worth_a_round(gaps, conflicts, 1) == gaps[1:]


FOUND = st.lists(
    st.builds(
        says,
        st.sampled_from("abcde"),
        st.sampled_from(["录像保存30日。", "录像保存三十天。", "录像保存7天。", "录像保存90天。", "申请在7日内提出。"]),
        st.sampled_from([0.6, 0.7, 0.9]),
    ),
    max_size=6,
    unique_by=lambda e: e["chunk_id"],
)


@given(FOUND, st.randoms())
def test_the_order_in_which_sources_were_found_changes_nothing(found: list[Evidence], chance: Any) -> None:
    shuffled = chance.sample(found, len(found))
    assert settle(*found) == settle(*shuffled)


@given(FOUND)
def test_sides_stand_and_disagree_and_looking_again_changes_nothing(found: list[Evidence]) -> None:
    entries, conflicts = settle(*found)
    assert settled(QUESTIONS, entries, conflicts, threshold=0.7, day=TODAY, round_=3, current={}) == (
        entries,
        conflicts,
    )
    for conflict in conflicts:
        values = [side["value"] for side in conflict["sides"]]
        assert len(set(values)) == len(values) >= 2
        assert all(side["grade"]["score"] >= 0.7 for side in conflict["sides"])
