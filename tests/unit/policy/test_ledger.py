from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evidence import Disagreement, Evidence, LedgerEntry
from policy import ledger
from state import SubQuestion, TriedQuery

QUESTIONS: list[SubQuestion] = [
    {"id": "q1", "text": "保存多久", "required": True},
    {"id": "q2", "text": "谁来付", "required": True},
    {"id": "q3", "text": "在哪里查", "required": False},
]


def evidence(question: str, chunk: str, score: float) -> Evidence:
    return {
        "sub_question_id": question,
        "chunk_id": chunk,
        "doc_id": "d",
        "version": "v",
        "title": "t",
        "quote": "q",
        "start": 0,
        "end": 1,
        "grade": {"reason": "r", "band": "direct", "score": score},
    }


def entries(*found: Evidence) -> list[LedgerEntry]:
    return ledger.record(QUESTIONS, [], found)


def test_score_is_the_weakest_required_link() -> None:
    book = entries(evidence("q1", "a", 0.95), evidence("q2", "b", 0.6), evidence("q3", "c", 0.5))
    assert ledger.relevance_score(QUESTIONS, book, []) == 0.6


def test_a_required_question_without_evidence_makes_the_score_zero() -> None:
    assert ledger.relevance_score(QUESTIONS, entries(evidence("q1", "a", 0.95)), []) == 0.0


def test_no_checklist_yet_scores_zero() -> None:
    assert ledger.relevance_score([], [], []) == 0.0


def test_conflict_makes_a_link_zero() -> None:
    book = entries(evidence("q1", "a", 0.95))
    conflict: Disagreement = {"sub_question_id": "q1", "sides": []}
    assert ledger.link(book, [conflict], "q1") == 0.0
    assert ledger.link(book, [], "q1") == 0.95


def test_grades_under_the_floor_are_not_evidence() -> None:
    book = entries(evidence("q1", "a", 0.49), evidence("q1", "b", 0.5))
    assert [e["chunk_id"] for e in book[0]["evidence"]] == ["b"]


def test_a_chunk_stands_once_with_its_best_grade() -> None:
    book = ledger.record(
        QUESTIONS, entries(evidence("q1", "a", 0.7)), [evidence("q1", "a", 0.9), evidence("q1", "a", 0.6)]
    )
    assert [e["grade"]["score"] for e in book[0]["evidence"]] == [0.9]


def test_gaps_are_the_required_open_ones_with_what_was_tried() -> None:
    tried: list[TriedQuery] = [
        {"text": "原问题", "gap": None, "round": 0, "new_hits": 1},
        {"text": "谁承担费用", "gap": "q2", "round": 0, "new_hits": 0},
        {"text": "保存期限", "gap": "q1", "round": 0, "new_hits": 0},
    ]
    book = entries(evidence("q1", "a", 0.8))
    assert ledger.gaps(QUESTIONS, book, [], tried, 0.7) == [
        {"sub_question_id": "q2", "kind": "missing", "text": "谁来付", "tried": ["原问题", "谁承担费用"]}
    ]


def test_a_round_is_barren_unless_a_required_grade_rose_to_half_or_more() -> None:
    before = entries(evidence("q1", "a", 0.6))
    assert ledger.is_barren(QUESTIONS, before, before)
    assert ledger.is_barren(QUESTIONS, before, ledger.record(QUESTIONS, before, [evidence("q3", "c", 0.9)]))
    assert not ledger.is_barren(QUESTIONS, before, ledger.record(QUESTIONS, before, [evidence("q1", "b", 0.65)]))


SCORES = st.floats(0, 1)
FOUND = st.lists(st.builds(evidence, st.sampled_from(["q1", "q2", "q3"]), st.sampled_from("abcd"), SCORES), max_size=12)


@given(FOUND, FOUND)
def test_more_evidence_never_lowers_a_link(first: list[Evidence], more: list[Evidence]) -> None:
    before = ledger.record(QUESTIONS, [], first)
    after = ledger.record(QUESTIONS, before, more)
    for question in QUESTIONS:
        assert ledger.link(after, [], question["id"]) >= ledger.link(before, [], question["id"])


@given(FOUND)
def test_recording_twice_changes_nothing(found: list[Evidence]) -> None:
    once = ledger.record(QUESTIONS, [], found)
    assert ledger.record(QUESTIONS, once, found) == once


@given(FOUND, st.floats(0.5, 1))
def test_confirmed_and_unconfirmed_part_the_checklist(found: list[Evidence], threshold: float) -> None:
    book = ledger.record(QUESTIONS, [], found)
    confirmed = ledger.confirmed(QUESTIONS, book, [], threshold)
    unconfirmed = ledger.unconfirmed(QUESTIONS, book, [], threshold)
    assert sorted(q["id"] for q in confirmed + unconfirmed) == ["q1", "q2", "q3"]
