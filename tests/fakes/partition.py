"""Chunks as the lanes know them, and their passages, without a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from context import Passage
from corpus.documents import chunk_id
from corpus.store.records import IndexedChunk


@dataclass(frozen=True)
class Piece:
    """A chunk of a document, with the text that the index does not hold."""

    text: str
    doc_id: str = "d"
    start: int = 0
    title: str = "t"
    heading: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def chunk_id(self) -> str:
        return chunk_id(self.doc_id, self.text)

    def chunk(self) -> IndexedChunk:
        return IndexedChunk(
            chunk_id=self.chunk_id,
            doc_id=self.doc_id,
            version="v",
            title=self.title,
            metadata=self.metadata,
            groups=frozenset(),
            start=self.start,
            end=self.start + len(self.text),
            key=self.text,
        )

    def passage(self) -> Passage:
        return Passage(self.chunk_id, self.doc_id, "v", self.title, self.heading, self.text, self.metadata)


def chunks(pieces: Sequence[Piece]) -> list[IndexedChunk]:
    return [piece.chunk() for piece in pieces]


def reading(pieces: Sequence[Piece]) -> Callable[[Sequence[str]], Mapping[str, Passage]]:
    """Passages by chunk_id, as the store gives them."""
    known = {piece.chunk_id: piece.passage() for piece in pieces}
    return lambda chunk_ids: {one: known[one] for one in chunk_ids if one in known}
