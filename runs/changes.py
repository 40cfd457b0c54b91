"""What a node changed, said shortly: counts, ids and scores, never a chunk's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final


def changes(update: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an update that a reader wants to see, each in its short form."""
    return {field: SHORT[field](value) for field, value in update.items() if field in SHORT}


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The same for two states in a row: only fields whose value differs."""
    changed = {field: value for field, value in after.items() if before.get(field) != value}
    if "tool_calls" in changed:
        changed["tool_calls"] = changed["tool_calls"][len(before.get("tool_calls") or ()) :]
    return changes(changed)


def _as_it_is(value: Any) -> Any:
    return value


def _doc(doc: Mapping[str, Any]) -> dict[str, Any]:
    return {name: doc[name] for name in ("chunk_id", "doc_id", "title", "rank", "score")}


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    scores = [evidence["grade"]["score"] for evidence in entry["evidence"]]
    return {"sub_question_id": entry["sub_question_id"], "evidence": len(scores), "best": max(scores, default=0.0)}


def _conflict(conflict: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "sub_question_id": conflict["sub_question_id"],
        "sides": [side["doc_id"] for side in conflict["sides"]],
    }


def _citation(citation: Mapping[str, Any]) -> dict[str, Any]:
    return {name: citation[name] for name in ("number", "doc_id", "chunk_id", "title")}


def _tool_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked, and the places that it brought by their ids."""
    return {name: call[name] for name in ("tool", "arguments", "outcome", "hits", "remark")}


def _length(text: str) -> str:
    return f"{len(text)} characters"


def _each(short: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda values: [short(value) for value in values]


SHORT: Final[dict[str, Callable[[Any], Any]]] = {
    "question": _as_it_is,
    "language": _as_it_is,
    "mode": _as_it_is,
    "filters": _as_it_is,
    "proposed_filter": _as_it_is,
    "standalone": _as_it_is,
    "need_retrieval": _as_it_is,
    "route_reason": _as_it_is,
    "sub_questions": _as_it_is,
    "rewritten_queries": _as_it_is,
    "tried": _as_it_is,
    "visible_chunks": _as_it_is,
    "lanes": _as_it_is,
    "docs": _each(_doc),
    "tool_calls": _each(_tool_call),
    "inquiry": _as_it_is,
    "rejudged": len,
    "graded": len,
    "ledger": _each(_entry),
    "relevance_score": _as_it_is,
    "gaps": _as_it_is,
    "strategies": _as_it_is,
    "conflicts": _each(_conflict),
    "repairs": _as_it_is,
    "retry_count": _as_it_is,
    "spent": _as_it_is,
    "stop_reason": _as_it_is,
    "person": _as_it_is,
    "answer": _length,
    "citations": _each(_citation),
}
"""Every field of the state but those that say nothing of a step: schema, history, dials, clocks, recorded."""
