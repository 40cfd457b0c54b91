"""When a question goes to a person, and what is said while their reply is awaited. Pure."""

from __future__ import annotations

from typing import Final

from policy.decide import status
from policy.unread import unread
from state import Language, RAGState

ASKED: Final[dict[Language, str]] = {
    "zh": "现有资料不足以回答该问题，已转请人工答复。",
    "en": "The available documents do not answer this question; a person has been asked.",
}
"""What stands for the answer until a person has replied."""


def hands_over(state: RAGState) -> bool:
    """Whether a turn that has stopped is for a person: one that may be handed over, and has nothing to answer with.

    One that looked at no document is not: nobody knows whether a person is needed.
    """
    return state.get("handoff", False) and status(state) == "insufficient" and unread(state) is None
