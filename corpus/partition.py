"""One tenant's part of the index in memory: an immutable picture of what is current."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from context import Principal
from corpus.access import may_see
from corpus.filters import compile_filter
from corpus.lanes.match import Mask
from corpus.lanes.postings import Postings, Vocabulary
from corpus.store.records import IndexedChunk


@dataclass(frozen=True)
class Partition:
    """Chunks by chunk_id; a place is an index into them, so that an order by place is one by id."""

    tenant: str
    generation: int
    vocabulary: Vocabulary
    chunks: tuple[IndexedChunk, ...]
    postings: Postings
    places: Mapping[str, Sequence[int]]
    """Places by key: chunks of the same indexed text share a vector."""
    by_id: Mapping[str, IndexedChunk]

    @classmethod
    def build(cls, tenant: str, generation: int, vocabulary: Vocabulary, chunks: Iterable[IndexedChunk]) -> Partition:
        ordered = tuple(sorted(chunks, key=lambda chunk: chunk.chunk_id))
        places: dict[str, list[int]] = {}
        for place, chunk in enumerate(ordered):
            places.setdefault(chunk.key, []).append(place)
        postings = Postings(vocabulary, [chunk.terms for chunk in ordered])
        by_id = {chunk.chunk_id: chunk for chunk in ordered}
        return cls(tenant, generation, vocabulary, ordered, postings, places, by_id)

    @classmethod
    def empty(cls, tenant: str) -> Partition:
        return cls.build(tenant, 0, Vocabulary(), ())

    def without(self, doc_ids: Collection[str]) -> list[IndexedChunk]:
        """The chunks of all other documents."""
        return [chunk for chunk in self.chunks if chunk.doc_id not in doc_ids]

    def mask(self, principal: Principal, filters: Mapping[str, Any] | None) -> Mask | None:
        """What the principal may see and the filter lets through; None when that is everything."""
        passes = compile_filter(filters)
        allowed = np.fromiter(
            (may_see(principal, chunk.groups) and passes(fields(chunk)) for chunk in self.chunks),
            np.bool_,
            len(self.chunks),
        )
        return None if allowed.all() else allowed


def fields(chunk: IndexedChunk) -> dict[str, Any]:
    """What a filter may name. A document's own metadata cannot pose as its id or title."""
    return {**chunk.metadata, "doc_id": chunk.doc_id, "title": chunk.title}
