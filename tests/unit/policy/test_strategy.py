from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import Evidence, Strategy
from policy import ledger
from policy.strategy import after_round, still_open
from state import Doc, LaneReport, RAGState, Stage
from tests.fakes.run import dials, state
from tests.unit.policy.test_ledger import evidence

CHECKLIST = [{"id": name, "text": name, "required": True} for name in ("q1", "q2")]
BOTH_LANES: tuple[Stage, ...] = ("keyword", "vector")


def doc(chunk: str, of: str, **ranks: int) -> Doc:
    return {
        "chunk_id": chunk,
        "doc_id": of,
        "version": "v",
        "title": of,
        "rank": 1,
        "score": 1.0,
        "lanes": [
            {"query": "q", "lane": lane, "rank": ranks[lane], "score": 1.0} for lane in BOTH_LANES if lane in ranks
        ],
    }


def report(lane: Stage, error: str | None = None) -> LaneReport:
    return {"query": "q", "lane": lane, "hits": 3, "cached": False, "error": error}


def judged(
    *found: Evidence, docs: tuple[Doc, ...] = (), scores: dict[str, float] | None = None, **changed: Any
) -> RAGState:
    """The state after a round in which the asker's own question was searched."""
    return state(
        sub_questions=CHECKLIST,
        ledger=ledger.record(CHECKLIST, [], found),  # type: ignore[arg-type]  # plain objects
        docs=list(docs),
        graded=[{"sub_question_id": "q1", "chunk_id": c, "score": s} for c, s in (scores or {}).items()],
        lanes=changed.pop("lanes", [report("keyword"), report("vector")]),
        gaps=[{"sub_question_id": name, "kind": "missing", "text": name, "tried": []} for name in ("q1", "q2")],
        tried=changed.pop("tried", [{"text": "q", "gap": None, "round": 0, "new_hits": 1}]),
        **changed,
    )


def of(gap: str, asked: RAGState) -> Strategy:
    return next(s for s in after_round(asked) if s["sub_question_id"] == gap)


def test_a_round_that_raised_the_grade_changes_nothing() -> None:
    assert of("q1", judged(evidence("q1", "a", 0.6))) == {
        "sub_question_id": "q1",
        "best": 0.6,
        "barren": 0,
        "change": None,
        "documents": [],
    }


def test_only_the_gap_that_a_round_brought_nothing_changes() -> None:
    assert [(s["sub_question_id"], s["change"]) for s in after_round(judged(evidence("q1", "a", 0.6)))] == [
        ("q1", None),
        ("q2", "deeper"),
    ]


@pytest.mark.parametrize(
    ("near", "change"),
    [
        ({"keyword": 40, "vector": 1}, "keyword_alone"),
        ({"vector": 1}, "keyword_alone"),
        ({"keyword": 1, "vector": 40}, "vector_alone"),
        ({"keyword": 2}, "vector_alone"),
        ({"keyword": 1, "vector": 1}, "deeper"),
    ],
)
def test_the_lane_that_brought_the_nearest_gives_way_to_the_other(near: dict[str, int], change: str) -> None:
    far = doc("far", "d2", keyword=1, vector=1)
    assert of("q1", judged(docs=(far, doc("near", "d", **near)), scores={"near": 0.4}))["change"] == change


@pytest.mark.parametrize(
    "changed",
    [
        {"lanes": [report("keyword", "the lane failed"), report("vector")]},
        {"lanes": [report("vector")]},
        {"dials": dials(keyword_weight=0)},
    ],
)
def test_a_lane_that_does_not_work_is_not_searched_alone(changed: dict[str, Any]) -> None:
    asked = judged(docs=(doc("near", "d", vector=1),), scores={"near": 0.4}, **changed)
    assert of("q1", asked)["change"] == "deeper"


BEFORE: Strategy = {"sub_question_id": "q1", "best": 0.6, "barren": 0, "change": None, "documents": []}
TWO_OF_ONE = (doc("a", "d", vector=1), doc("b", "d", vector=2))


def again(**changed: Any) -> RAGState:
    """A later round brought the gap, which has partial evidence, nothing new."""
    tried = [{"text": "x", "gap": "q1", "round": 1, "new_hits": 0}]
    own: dict[str, Any] = {"docs": TWO_OF_ONE, "tried": tried, "retry_count": 1, "strategies": [BEFORE]}
    return judged(evidence("q1", "a", 0.6), **{**own, **changed})


def test_partial_evidence_in_a_long_document_leads_inside_it() -> None:
    found = of("q1", again())
    assert (found["change"], found["documents"], found["barren"]) == ("inside", ["d"], 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"docs": TWO_OF_ONE[:1]},
        {"filters": {"doc_id": "d"}},
        {"filters": {"$or": [{"year": 1}, {"year": 2}]}},
        {"filters": {f"f{n}": n for n in range(16)}},
        {"tried": [{"text": "x", "gap": "q1", "round": 1, "new_hits": 0, "strategy": "inside"}]},
    ],
)
def test_it_goes_inside_only_what_is_longer_than_what_was_read_and_beside_a_flat_filter(
    changed: dict[str, Any],
) -> None:
    assert of("q1", again(**changed))["change"] == "deeper"


def test_after_its_change_was_barren_too_a_gap_closes_for_good() -> None:
    changed: Strategy = {**BEFORE, "barren": 1, "change": "deeper"}
    closed = of("q1", again(strategies=[changed]))
    assert (closed["change"], closed["barren"]) == ("closed", 2)
    assert of("q1", again(strategies=[closed])) == closed
    asked = again()
    assert [gap["sub_question_id"] for gap in still_open(asked["gaps"], [closed])] == ["q2"]


def test_a_dial_of_more_barren_rounds_tries_more_changes_before_it_closes() -> None:
    asked = again(dials=dials(max_barren_rounds=4), strategies=[{**BEFORE, "barren": 1, "change": "inside"}])
    asked["tried"][0]["strategy"] = "inside"
    assert (of("q1", asked)["change"], of("q1", asked)["barren"]) == ("deeper", 2)


def test_a_round_without_a_query_for_the_gap_says_nothing_of_it() -> None:
    changed: Strategy = {**BEFORE, "barren": 1, "change": "deeper"}
    other = [{"text": "x", "gap": "q2", "round": 1, "new_hits": 0}]
    assert of("q1", again(strategies=[changed], tried=other)) == changed


def test_a_gap_in_conflict_has_its_own_round_and_no_strategy() -> None:
    asked = judged()
    asked["gaps"][0]["kind"] = "conflict"
    assert [s["sub_question_id"] for s in after_round(asked)] == ["q2"]
    assert still_open(asked["gaps"], after_round(asked)) == asked["gaps"]


def test_a_thread_of_before_strategies_begins_with_none() -> None:
    old = {name: value for name, value in judged().items() if name != "strategies"}
    assert len(after_round(old)) == 2  # type: ignore[arg-type]  # that is the point


@given(st.lists(st.floats(0, 1), max_size=8), st.integers(1, 5))
def test_a_gap_is_closed_by_as_many_barren_rounds_in_a_row_as_the_dial_says_and_by_nothing_else(
    grades: list[float], most: int
) -> None:
    best, barren, strategies = 0.0, 0, list[Strategy]()
    for round_, grade in enumerate(grades):
        rose = grade >= 0.5 and grade > best
        barren = barren if barren >= most else 0 if rose else barren + 1
        best = max(best, grade if grade >= 0.5 else 0.0)
        tried = [{"text": "x", "gap": "q1", "round": round_, "new_hits": 0}]
        limits = dials(max_barren_rounds=most)
        found = [evidence("q1", "a", best)] if best else []
        asked = judged(*found, tried=tried, retry_count=round_, strategies=strategies, dials=limits)
        strategies = after_round(asked)
        mine = of("q1", asked)
        assert (mine["change"] == "closed") == (barren >= most)
        assert (mine["change"] is None) == (barren == 0)
