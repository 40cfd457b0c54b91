"""What a provider's moderation refused, so that no later prompt holds it: passages of documents, turns of a thread."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from context.retrieval import Passage
from state import Turn

KEPT: Final = 10_000
"""Refused texts that are remembered, by their hash."""


class SetAside:
    """The texts that one process has seen refused."""

    def __init__(self) -> None:
        self._refused: OrderedDict[bytes, None] = OrderedDict()

    def add(self, *texts: str) -> None:
        """Remember refused texts; of too many, the oldest are forgotten."""
        for text in texts:
            self._refused[_hash(text)] = None
        while len(self._refused) > KEPT:
            self._refused.popitem(last=False)

    def add_turns(self, turns: Iterable[Turn]) -> None:
        self.add(*map(_said, turns))

    def passages(self, passages: Iterable[Passage]) -> tuple[Passage, ...]:
        """Those that were never refused."""
        return tuple(passage for passage in passages if _hash(passage.text) not in self._refused)

    def turns(self, history: Iterable[Turn]) -> tuple[Turn, ...]:
        """Those that were never refused."""
        return tuple(turn for turn in history if _hash(_said(turn)) not in self._refused)


def _said(turn: Turn) -> str:
    return f"{turn['question']}\n{turn['answer']}"


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
