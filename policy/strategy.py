"""What a gap's search changes after a barren round, and when it ends. Pure; docs/decisions/0028.

A gap closes after as many barren rounds in a row as the dial allows a whole ask: by default there is one change before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from evidence import Change, Gap, Strategy
from policy.lanes import LANES, weight
from policy.ledger import EVIDENCE_FLOOR, best_grade
from state import RRF_K, Doc, Lane, RAGState

NEAR: Final = 3
"""Hits that show which lane brought what came nearest to the gap: as many as a round grades for it."""
DOCUMENTS: Final = 3
"""Documents that a search inside what was found keeps to."""
FLAT: Final = 15
"""Fields of the caller's filter, beside which one more condition is sure to keep within the limits of filters."""

ALONE: Final[dict[Change, Lane]] = {"keyword_alone": "keyword", "vector_alone": "vector"}
OTHER: Final[dict[Lane, Change]] = {"keyword": "vector_alone", "vector": "keyword_alone"}
"""The change that leaves this lane out."""


def after_round(state: RAGState) -> list[Strategy]:
    """How the search for each missing sub-question goes on after the round that was just judged."""
    before = {strategy["sub_question_id"]: strategy for strategy in state.get("strategies", ())}
    return [
        _next(gap["sub_question_id"], before.get(gap["sub_question_id"]), state)
        for gap in state["gaps"]
        if gap["kind"] == "missing"
    ]


def still_open(gaps: Sequence[Gap], strategies: Sequence[Strategy]) -> list[Gap]:
    """The gaps that may still be searched for."""
    closed = {strategy["sub_question_id"] for strategy in strategies if strategy["change"] == "closed"}
    return [gap for gap in gaps if gap["sub_question_id"] not in closed]


def _next(gap: str, before: Strategy | None, state: RAGState) -> Strategy:
    best = best_grade(state["ledger"], gap)
    if before and (before["change"] == "closed" or not _was_tried(gap, state)):
        return before
    if best >= EVIDENCE_FLOOR and best > (before["best"] if before else 0.0):
        return _strategy(gap, best, 0, None)
    barren = before["barren"] + 1 if before else 1
    if barren >= state["dials"]["max_barren_rounds"]:
        return _strategy(gap, best, barren, "closed")
    change, documents = _change(gap, state)
    return _strategy(gap, best, barren, change, documents)


def _was_tried(gap: str, state: RAGState) -> bool:
    """Whether a query of the last round was for this gap: one of its own, or one for the whole question."""
    return any(t["round"] == state["retry_count"] and t["gap"] in (gap, None) for t in state["tried"])


def _change(gap: str, state: RAGState) -> tuple[Change, list[str]]:
    """The view that the last rounds lacked, by what was seen.

    Where a document holds partial evidence and more than one of its chunks was found, the rest of it; where one lane
    brought what came nearest, the other alone, if it works; else, or when these were tried, more of both.
    """
    done = {tried.get("strategy") for tried in state["tried"] if tried["gap"] == gap}
    documents = _promising(gap, state) if _takes_one_more(state["filters"]) else []
    if documents and "inside" not in done:
        return "inside", documents
    lane = _lane_of_nearest(gap, state)
    other = OTHER[lane] if lane else None
    if other and other not in done and ALONE[other] in _working(state):
        return other, []
    return "deeper", []


def _promising(gap: str, state: RAGState) -> list[str]:
    """Documents with evidence for the gap of which several chunks were seen, those of the best grade first."""
    seen = {doc["chunk_id"]: doc["doc_id"] for doc in state["docs"]}
    seen |= {e["chunk_id"]: e["doc_id"] for entry in state["ledger"] for e in entry["evidence"]}
    several = {doc_id for doc_id, chunks in Counter(seen.values()).items() if chunks > 1}
    own = [e["doc_id"] for entry in state["ledger"] if entry["sub_question_id"] == gap for e in entry["evidence"]]
    return [doc_id for doc_id in dict.fromkeys(own) if doc_id in several][:DOCUMENTS]


def _takes_one_more(filters: dict[str, Any] | None) -> bool:
    fields = filters or {}
    return len(fields) <= FLAT and not any(name.startswith("$") or name == "doc_id" for name in fields)


def _lane_of_nearest(gap: str, state: RAGState) -> Lane | None:
    """The lane that ranked the gap's best graded hits higher, None where neither did."""
    scores = {pair["chunk_id"]: pair["score"] for pair in state["graded"] if pair["sub_question_id"] == gap}
    graded = sorted((doc for doc in state["docs"] if doc["chunk_id"] in scores), key=lambda d: -scores[d["chunk_id"]])
    keyword, vector = (sum(_nearness(doc, lane) for doc in graded[:NEAR]) for lane in ("keyword", "vector"))
    return None if keyword == vector else "keyword" if keyword > vector else "vector"


def _nearness(doc: Doc, lane: str) -> float:
    """By the best place in that lane, whatever the lane weighs in fusion."""
    return max((1 / (RRF_K + place["rank"]) for place in doc["lanes"] if place["lane"] == lane), default=0.0)


def _working(state: RAGState) -> set[Lane]:
    answered = {report["lane"] for report in state["lanes"] if report["error"] is None}
    return {lane for lane in LANES if lane in answered and weight(state["dials"], lane) > 0}


def _strategy(gap: str, best: float, barren: int, change: Change | None, documents: Sequence[str] = ()) -> Strategy:
    return {"sub_question_id": gap, "best": best, "barren": barren, "change": change, "documents": list(documents)}
