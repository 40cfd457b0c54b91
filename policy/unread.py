"""When a turn ended before anything was looked at: then not the documents lack an answer, and that is said."""

from __future__ import annotations

from typing import Final, Literal

from state import Language, RAGState, StopReason

UNSEARCHED: Final[dict[Language, str]] = {
    "zh": "尚未检索就已停止：{reason}。",
    "en": "Stopped before anything was searched: {reason}.",
}
UNREAD: Final[dict[Language, str]] = {
    "zh": "尚未读到资料就已停止：{reason}。",
    "en": "Stopped before the documents could be read: {reason}.",
}
REASONS: Final[dict[StopReason, dict[Language, str]]] = {
    "max_retries": {"zh": "允许的轮数已用完", "en": "no further round was allowed"},
    "call_budget": {
        "zh": "允许的检索和模型调用次数不够",
        "en": "the searches and model calls allowed did not suffice",
    },
    "token_budget": {"zh": "允许的 token 数不够", "en": "the tokens allowed did not suffice"},
    "deadline": {"zh": "时限已到", "en": "the time was up"},
}
"""In words, the budgets that can end a turn so early."""


def unread(state: RAGState) -> Literal["unsearched", "unread"] | None:
    """Whether a budget ended the turn before a search, or before anything that was found could be judged.

    A search that found nothing was read; one that was cut off reports no lane.
    """
    judged = state["graded"] or any(entry["evidence"] for entry in state["ledger"])
    if state["stop_reason"] not in REASONS or judged:
        return None
    if not state["tried"]:
        return "unsearched"
    return "unread" if state["docs"] or not state["lanes"] else None


def said_unread(state: RAGState, *, lost: bool = False) -> str | None:
    """The sentence for it, None where the documents were looked at; `lost` says that they could not be read again."""
    how, reason = unread(state), state["stop_reason"]
    if reason not in REASONS or not (how or lost):
        return None
    sentence = UNSEARCHED if how == "unsearched" else UNREAD
    return sentence[state["language"]].format(reason=REASONS[reason][state["language"]])
