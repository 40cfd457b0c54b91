"""Chunks as the lanes know them, without a store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.documents import chunk_id
from corpus.segments.records import Name, Outline
from corpus.segments.sayings import Saying
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


class Chunks(list[IndexedChunk]):
    """Chunks by their positions, with what they say."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        super().__init__(piece.chunk() for piece in pieces)
        self._pieces = pieces
        self._documents = {piece.doc_id: number for number, piece in enumerate(pieces)}

    def saying(self, place: int) -> Saying:
        return Saying.of(self._pieces[place].text, self._pieces[place].heading)

    def name(self, place: int) -> Name:
        chunk = self[place]
        return Name(chunk.chunk_id, chunk.doc_id, chunk.version, chunk.title)

    def outline(self, place: int) -> Outline:
        chunk = self[place]
        return Outline(self._documents[chunk.doc_id], chunk.start, chunk.end, self.saying(place).said)
