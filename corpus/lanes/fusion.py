"""Many ranked lists to one: weighted reciprocal rank fusion, without repeats."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from corpus.lanes.match import Match
from corpus.store.records import IndexedChunk
from state import RRF_K, Doc, Lane, LaneRank

_SHARED: Final = 0.5
"""Two chunks of a document overlap when they share this part of the shorter one. The 50 characters that neighbours
repeat are a tenth: dropping on those would lose the other nine."""


@dataclass(frozen=True)
class RankedList:
    """One lane of one query."""

    query: str
    lane: Lane
    weight: float
    matches: Sequence[Match]


def fuse(lists: Sequence[RankedList], chunks: Sequence[IndexedChunk], top_k: int) -> list[Doc]:
    """The best `top_k` chunks by the sum of weight / (60 + rank), each with every place it was found at."""
    shares: dict[int, list[float]] = {}
    lanes: dict[int, list[LaneRank]] = {}
    for ranked in lists:
        for rank, match in enumerate(ranked.matches, 1):
            shares.setdefault(match.place, []).append(ranked.weight / (RRF_K + rank))
            lanes.setdefault(match.place, []).append(
                {"query": ranked.query, "lane": ranked.lane, "rank": rank, "score": match.score}
            )
    # An exact sum, so that ties do not depend on the order of the lists.
    fused = {place: math.fsum(of_place) for place, of_place in shares.items()}
    order = sorted((place for place in fused if fused[place] > 0), key=lambda place: (-fused[place], place))
    return [
        _doc(chunks[place], rank, fused[place], lanes[place])
        for rank, place in enumerate(_distinct(order, chunks, top_k), 1)
    ]


def _doc(chunk: IndexedChunk, rank: int, score: float, lanes: list[LaneRank]) -> Doc:
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "version": chunk.version,
        "title": chunk.title,
        "rank": rank,
        "score": score,
        "lanes": lanes,
    }


def _distinct(order: Iterable[int], chunks: Sequence[IndexedChunk], most: int) -> list[int]:
    """The first `most` of these places that repeat none before them."""
    kept: list[int] = []
    texts: set[tuple[str, str]] = set()
    for place in order:
        if len(kept) == most:
            break
        chunk = chunks[place]
        identity = _identity(chunk)
        if identity not in texts and not any(_overlap(chunk, chunks[other]) for other in kept):
            kept.append(place)
            texts.add(identity)
    return kept


def _identity(chunk: IndexedChunk) -> tuple[str, str]:
    """Text and metadata: the same words in another year's edition are another source."""
    return chunk.chunk_id.rpartition("#")[2], json.dumps(chunk.metadata, sort_keys=True, ensure_ascii=False)


def _overlap(one: IndexedChunk, other: IndexedChunk) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return one.doc_id == other.doc_id and shared >= _SHARED * min(one.end - one.start, other.end - other.start)
