"""From a finished state to the reply of `POST /ask`: pure, every field of DESIGN section 9."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from evidence import Evidence
from policy.decide import status
from policy.handover import ASKED
from policy.ledger import best_grade, confirmed, unconfirmed
from state import RAGState, SubQuestion


@dataclass(frozen=True)
class Ids:
    """Where a reply is kept."""

    thread_id: str
    run_id: str
    checkpoint_id: str


def reply(state: RAGState, ids: Ids, *, total_ms: float, awaited: bool = False) -> dict[str, Any]:
    """The whole reply, of plain JSON types. `total_ms` is the wall clock of this run.

    While a person's reply is `awaited` the turn has no reason to have ended, and says that one was asked.
    """
    return {
        "answer": ASKED[state["language"]] if awaited else state["answer"],
        **outcome(state, awaited=awaited),
        "mode": state["mode"],
        "relevance_score": state["relevance_score"],
        "retry_count": state["retry_count"],
        "citations": state["citations"],
        "ledger": _ledger(state),
        "missing": _missing(state),
        "conflicts": _conflicts(state),
        "warnings": list(dict.fromkeys(lane["error"] for lane in state["lanes"] if lane["error"])),
        "usage": _usage(state),
        "timings": {
            "total_ms": round(total_ms, 3),
            "nodes": state["timings"],
            "vector_lane": state["recorded"]["embedder"] is not None,
        },
        **asdict(ids),
    }


def outcome(state: RAGState, *, awaited: bool) -> dict[str, Any]:
    """How the turn stands, in two words."""
    if awaited:
        return {"status": "awaiting_human", "stop_reason": None}
    return {"status": status(state), "stop_reason": state["stop_reason"]}


def _ledger(state: RAGState) -> list[dict[str, Any]]:
    established = {q["id"] for q in _confirmed(state)}
    disputed = {conflict["sub_question_id"] for conflict in state["conflicts"]}
    evidence = {entry["sub_question_id"]: entry["evidence"] for entry in state["ledger"]}
    return [
        {
            "sub_question_id": q["id"],
            "text": q["text"],
            "required": q["required"],
            "status": "conflict" if q["id"] in disputed else "confirmed" if q["id"] in established else "open",
            "score": best_grade(state["ledger"], q["id"]),
            "evidence": [_shown(e) for e in evidence.get(q["id"], [])],
        }
        for q in state["sub_questions"]
    ]


def _shown(evidence: Evidence) -> dict[str, Any]:
    inner = ("sub_question_id", "contradicts")
    return {name: value for name, value in evidence.items() if name not in inner}


def _conflicts(state: RAGState) -> list[dict[str, Any]]:
    """What sources disagree on, optional ones too, with every side."""
    questions = {q["id"]: q for q in state["sub_questions"]}
    return [
        {
            "sub_question_id": conflict["sub_question_id"],
            "text": questions[conflict["sub_question_id"]]["text"],
            "required": questions[conflict["sub_question_id"]]["required"],
            "sides": [{"value": side.get("value"), **_shown(side)} for side in conflict["sides"]],
        }
        for conflict in state["conflicts"]
        if conflict["sub_question_id"] in questions
    ]


def _missing(state: RAGState) -> list[dict[str, Any]]:
    """What is open, optional ones too; what is in conflict stands under `conflicts`."""
    disputed = {conflict["sub_question_id"] for conflict in state["conflicts"]}
    tried = {gap["sub_question_id"]: gap["tried"] for gap in state["gaps"]}
    still_open = unconfirmed(state["sub_questions"], state["ledger"], state["conflicts"], state["dials"]["threshold"])
    return [
        {"sub_question_id": q["id"], "text": q["text"], "required": q["required"], "tried": tried.get(q["id"], [])}
        for q in still_open
        if q["id"] not in disputed
    ]


def _confirmed(state: RAGState) -> list[SubQuestion]:
    return confirmed(state["sub_questions"], state["ledger"], state["conflicts"], state["dials"]["threshold"])


def _usage(state: RAGState) -> dict[str, Any]:
    spent = state["spent"]
    return {
        "reported": spent["reported"],
        "estimated": spent["estimated"],
        "searches": spent["searches"],
        "model_calls": spent["model_calls"],
        "tool_calls": spent["tool_calls"],
        "models": [{"model": model, **used} for model, used in spent.get("models", {}).items()],
    }
