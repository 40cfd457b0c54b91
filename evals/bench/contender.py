"""What the bench asks of every contender, and what it is given: the same pieces, vectors, depth and k for all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from context.retrieval import Vectors
from evals.bench.material import Piece
from state import RRF_K
from text.tokens import tokens

K: Final = 10
DEPTH: Final = 50
"""Hits that each lane gives to fusion."""

Found = tuple[str, str]
"""Id and text of a piece: an answer without its text would be of no use to anybody."""


@dataclass(frozen=True)
class Loaded:
    """Pieces with their vectors (a row each), question vectors by question, and the pieces' tokens by text."""

    pieces: Sequence[Piece]
    vectors: Vectors
    question_vectors: Mapping[str, Vectors]
    tokens_of: Mapping[str, list[str]]

    def tokenise(self, text: str) -> list[str]:
        """The tokens of a piece, cut once for all contenders, or of a question, cut each time."""
        return self.tokens_of[text] if text in self.tokens_of else tokens(text)


class Contender(Protocol):
    """A hybrid search, built and ready. `note` says how its user gets the filter and the tokens."""

    name: str
    note: str

    def search(self, question: str, tenth: int | None) -> list[Found]:
        """The best ten, best first; with `tenth` only of pieces that have it."""
        ...


def fused(lanes: Iterable[Sequence[int]]) -> list[int]:
    """The best ten places of lanes with the best first, by plain reciprocal rank fusion; ties by place."""
    shares: defaultdict[int, float] = defaultdict(float)
    for lane in lanes:
        for rank, place in enumerate(lane, RRF_K + 1):
            shares[place] += 1 / rank
    return sorted(shares, key=lambda place: (-shares[place], place))[:K]


def batches(total: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, total)) for start in range(0, total, size)]
