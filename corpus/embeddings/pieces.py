"""Texts to an endpoint in requests as large as it takes, and in smaller ones until what it does not take is found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from context.retrieval import Vectors
from corpus.embeddings.faults import Refused
from corpus.embeddings.limits import fewer

Ask = Callable[[list[str]], Awaitable[list[Vectors | None]]]
"""A vector a text, None where there is none; raises `Refused` when the request is not taken."""

_MOST_IN_VAIN: Final = 3
"""Texts tried alone before an endpoint that took none is asked no more."""


class DimensionError(Exception):
    """Every vector has another dimension: it is another model's."""

    def __init__(self, dimension: int) -> None:
        super().__init__("another dimension")
        self.dimension = dimension


class Pieces:
    """One call: `found` by text, and the texts `refused` alone. Vectors have `dimension` numbers, of 0 any."""

    def __init__(self, ask: Ask, dimension: int) -> None:
        self.found: dict[str, Vectors] = {}
        self.refused: list[str] = []
        self._ask = ask
        self._dimension = dimension

    @property
    def in_vain(self) -> bool:
        """Whether nothing is taken, so that it is not the texts."""
        return not self.found and len(self.refused) >= _MOST_IN_VAIN

    async def send(self, texts: list[str], most: int) -> int:
        """Ask for all of these, at most so many at a time; how many the endpoint took at a time in the end."""
        size, waiting, alone = most, texts, False
        while waiting and not self.in_vain:
            sent = waiting[:size]
            left, words = await self._sent(sent)
            if len(left) == len(sent) > 1:
                size = fewer(len(sent), words)
                continue
            if len(left) == len(sent):
                self.refused += left
                # It was this text, and not how many there were; where nothing was taken yet, nobody knows.
                size, alone = (most, False) if self.found else (1, True)
            elif left:
                await self.send(left, len(left))
            elif alone:
                size, alone = most, False
            waiting = waiting[len(sent) :]
        return size

    async def _sent(self, texts: list[str]) -> tuple[list[str], str]:
        """Those that have no vector yet, and what the endpoint said of it. Raises `DimensionError`."""
        try:
            vectors = await self._ask(texts)
        except Refused as refusal:
            return texts, refusal.said
        given = {text: row for text, row in zip(texts, vectors, strict=True) if row is not None}
        fitting = {text: row for text, row in given.items() if len(row) == (self._dimension or len(row))}
        if given and not fitting and not self.found:
            raise DimensionError(len(next(iter(given.values()))))
        self.found |= fitting
        return [text for text in texts if text not in fitting], ""
