"""Records as tests need them."""

from __future__ import annotations

from typing import Any

from evals.record import Cited, Record, Round


def record(number: int = 1, **changed: Any) -> Record:
    """An answered question whose one gold label is cited, with some fields changed."""
    fields: dict[str, Any] = {
        "set": "made",
        "id": f"q{number}",
        "mode": "loop",
        "filtered": False,
        "code": "c0de",
        "kind": "single",
        "question": "?",
        "answerable": True,
        "gold": ["g"],
        "not_to_cite": [],
        "points": [["30 days", "thirty days"]],
        "references": ["30 days"],
        "status": "answered",
        "stop_reason": "sufficient",
        "rounds": [graded(("g", 0.9))],
        "cited": [cited("g")],
        "answer": "It is 30 days [1].",
        "latency_ms": 10.0,
    }
    return Record(**{**fields, **changed})


def refused(number: int = 1, **changed: Any) -> Record:
    """A question to which nothing was found."""
    said = {"status": "insufficient", "stop_reason": "no_new_evidence", "cited": [], "answer": "Not found."}
    return record(number, **{**said, **changed})


def nothing(**changed: Any) -> dict[str, Any]:
    """What a question without an answer has."""
    return {"answerable": False, "gold": [], "points": [], "references": [], **changed}


def graded(*scores: tuple[str, float]) -> Round:
    return Round([label for label, _ in scores], [("q1", label, score) for label, score in scores])


def cited(label: str, *, stands: bool = True) -> Cited:
    return Cited(1, label, label, f"{label}#1", stands)
