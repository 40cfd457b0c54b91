"""How many passages go to a model: as many as its context window has room for, best first. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from state import RAGState
from text.token_estimate import estimate_tokens

INSTRUCTIONS: Final = 1_500
REPLY: Final = 1_500
"""Tokens kept free for the prompt's own words and for what the model says."""

HISTORY_TURNS: Final = 6
TURN_CHARACTERS: Final = 1_200
"""As much of a thread as a prompt shows of it (reasoner/blocks.py)."""

OVERHEAD: Final = 30
"""Tokens of the tags around a passage."""

LEAST: Final = 200
"""Tokens of the first passage that are shown however little room there is."""


class Readable(Protocol):
    """What a prompt shows of a passage."""

    @property
    def title(self) -> str: ...
    @property
    def heading(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def metadata(self) -> Mapping[str, Any]: ...


R = TypeVar("R", bound=Readable)


@dataclass(frozen=True)
class Fitted(Generic[R]):
    """Passages to show, in their order, each with as much of its text as fits; and how many found no room."""

    shown: tuple[tuple[R, str], ...]
    left_out: int


def room(state: RAGState, window: int) -> int:
    """Tokens of a context window that are left for passages; 0 or less when the rest fills it already."""
    turns = state["history"][-HISTORY_TURNS:]
    asked = [state["question"], state["standalone"], *(question["text"] for question in state["sub_questions"])]
    said = [f"{turn['question']}{turn['answer']}"[:TURN_CHARACTERS] for turn in turns]
    return window - INSTRUCTIONS - REPLY - sum(estimate_tokens(text) for text in [*asked, *said])


def fitted(passages: Sequence[R], tokens: int | None) -> Fitted[R]:
    """Those that fit into so many tokens, best first; None means that all do.

    One that is too long is passed over for a later one that is not. The first is cut rather than left out.
    """
    if tokens is None:
        return Fitted(tuple((passage, passage.text) for passage in passages), 0)
    left = max(tokens, LEAST)
    shown: list[tuple[R, str]] = []
    for number, passage in enumerate(passages):
        text = passage.text if number else shortened(passage.text, left - _frame(passage))
        cost = _frame(passage) + estimate_tokens(text)
        if cost <= left or not number:
            shown.append((passage, text))
            left -= cost
    return Fitted(tuple(shown), len(passages) - len(shown))


def shortened(text: str, tokens: int) -> str:
    """The longest beginning of the text that is estimated at no more than so many tokens."""
    if estimate_tokens(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= tokens else (low, middle - 1)
    return text[:low]


def _frame(passage: Readable) -> int:
    """What a prompt shows beside the text: title, headings and short metadata."""
    named = [str(name) + str(value)[:80] for name, value in passage.metadata.items()]
    return OVERHEAD + sum(estimate_tokens(text) for text in (passage.title, passage.heading, *named))
