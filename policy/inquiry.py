"""How an agent's search stands: what it has noted, what is still open, and when it goes in circles. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from policy import ledger
from state import Inquiry, RAGState, SubQuestion, Told, ToolCall

RETURNS: Final = 1
"""How often evaluate sends an agent back that had finished, to what its evidence left open."""


def nothing_asked() -> Inquiry:
    """An agent that has not begun."""
    return {"barren": 0, "told": [], "ended": None}


def inquiry_of(state: RAGState) -> Inquiry:
    """How the search stands; threads of before there was an agent have none."""
    return state.get("inquiry", nothing_asked())


def calls_of(state: RAGState) -> list[ToolCall]:
    """The tool calls of this turn."""
    return state.get("tool_calls", [])


def noted(calls: Iterable[ToolCall], sub_question_id: str) -> list[str]:
    """The chunks noted for a sub-question, in the order in which they were."""
    notes = [call for call in calls if call["tool"] == "note" and call["outcome"] == "done"]
    mine = [call for call in notes if call["arguments"].get("sub_question") == sub_question_id]
    return list(dict.fromkeys(hit["chunk_id"] for call in mine for hit in call["hits"]))


def unsettled(state: RAGState) -> list[SubQuestion]:
    """The required sub-questions that are not confirmed and have no note that is still to be judged."""
    graded = {(pair["sub_question_id"], pair["chunk_id"]) for pair in state["graded"]}
    pending = ledger.unconfirmed(
        state["sub_questions"], state["ledger"], state["conflicts"], state["dials"]["threshold"]
    )
    return [q for q in pending if q["required"] and _all_judged(state, q["id"], graded)]


def _all_judged(state: RAGState, sub_question_id: str, graded: set[tuple[str, str]]) -> bool:
    return all((sub_question_id, chunk) in graded for chunk in noted(calls_of(state), sub_question_id))


def asked_before(calls: Sequence[ToolCall], tool: str, arguments: Mapping[str, Any]) -> ToolCall | None:
    """The same call with the same arguments, made earlier in this turn and carried out."""
    return next(
        (
            call
            for call in calls
            if call["tool"] == tool and call["arguments"] == arguments and call["outcome"] in ("done", "nothing")
        ),
        None,
    )


def goes_in_circles(state: RAGState) -> bool:
    """Whether a search more would be one too many: it was told so, and searched once more for nothing."""
    inquiry = inquiry_of(state)
    return "barren" in inquiry["told"] and inquiry["barren"] > state["dials"]["max_barren_rounds"]


def is_over(state: RAGState) -> bool:
    """Whether no way leads back to the agent: it had one already, or ended without evidence for all that is required.

    A conflict, which shows only when the evidence is judged, is worth the way back all the same.
    """
    had = state["retry_count"] >= RETURNS
    new_conflict = any(gap["kind"] == "conflict" for gap in state["gaps"])
    return had or (inquiry_of(state)["ended"] in ("gave_up", "barren") and not new_conflict)


def after_call(state: RAGState) -> Inquiry:
    """How the search stands after its last call, which is in the state already."""
    call, inquiry = calls_of(state)[-1], inquiry_of(state)
    if call["tool"] == "finish":
        return _after_finish(call, inquiry, settled=not unsettled(state))
    if call["tool"] == "note" and call["outcome"] == "done":
        return {**inquiry, "barren": 0, "told": [one for one in inquiry["told"] if one != "barren"]}
    if call["tool"] == "search" and call["outcome"] == "refused" and goes_in_circles(state):
        return {**inquiry, "ended": "barren"}
    if not _has_searched(call):
        return inquiry
    told: list[Told] = ["barren"] if warns(call, inquiry, state["dials"]["max_barren_rounds"]) else []
    return {**inquiry, "barren": inquiry["barren"] + 1, "told": [*inquiry["told"], *told]}


def warns(call: ToolCall, inquiry: Inquiry, most: int) -> bool:
    """Whether this call is the search after which the agent is told that so many brought no new evidence."""
    return _has_searched(call) and "barren" not in inquiry["told"] and inquiry["barren"] + 1 >= most


def _after_finish(call: ToolCall, inquiry: Inquiry, *, settled: bool) -> Inquiry:
    if call["outcome"] == "refused":
        return {**inquiry, "told": [*inquiry["told"], "open"]}
    return {**inquiry, "ended": "finished" if settled else "gave_up"}


def _has_searched(call: ToolCall) -> bool:
    return call["tool"] == "search" and call["outcome"] in ("done", "nothing", "repeated", "unavailable")
