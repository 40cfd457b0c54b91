"""Many ranked lists to one, without repeats, each hit with every place that it was found at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from corpus.lanes.blended import blended
from corpus.lanes.match import RankedList
from corpus.lanes.reciprocal import reciprocal_ranks
from corpus.lanes.repeats import Chunks, Distinct, distinct
from corpus.lanes.scaled import scaled_sums
from corpus.segments.records import Name
from state import Doc, Fusion, LaneRank

Way = Callable[[Sequence[RankedList]], dict[int, float]]
"""From lists to fused scores by place."""

METHODS: Final[Mapping[Fusion, Way]] = {
    "blend": blended,
    "scaled": scaled_sums,
    "rrf": reciprocal_ranks,
}
"""The ways to fuse (docs/decisions/0018 says which is better, and by how much)."""


def ordered(lists: Sequence[RankedList], way: Way) -> list[tuple[int, float]]:
    """Places with their fused scores, best first; ties by reciprocal rank, then by place.

    What only lists of weight zero found is left out.
    """
    lists = [ranked for ranked in lists if ranked.weight > 0]
    fused = way(lists)
    by_rank = fused if way is reciprocal_ranks else reciprocal_ranks(lists)
    order = sorted(fused)
    for scores in (by_rank, fused):  # a sort leaves equal ones in the order they had
        order.sort(key=scores.__getitem__, reverse=True)
    return [(place, fused[place]) for place in order]


def fuse(lists: Sequence[RankedList], chunks: Chunks, top_k: int, method: Fusion) -> list[Doc]:
    """The best `top_k` chunks that do not repeat one before them."""
    ranked = ordered(lists, METHODS[method])
    scores, kept = dict(ranked), distinct([place for place, _ in ranked], chunks, top_k)
    lanes = _lanes(lists, [one.place for one in kept])
    return [
        _doc(chunks.name(one.place), rank, scores[one.place], lanes[one.place], one) for rank, one in enumerate(kept, 1)
    ]


def _lanes(lists: Sequence[RankedList], places: Sequence[int]) -> dict[int, list[LaneRank]]:
    lanes: dict[int, list[LaneRank]] = {place: [] for place in places}
    for ranked in (ranked for ranked in lists if ranked.shown):
        for rank, (place, score) in enumerate(ranked.matches, 1):
            if place in lanes:
                lanes[place].append({"query": ranked.query, "lane": ranked.lane, "rank": rank, "score": score})
    return lanes


def _doc(chunk: Name, rank: int, score: float, lanes: list[LaneRank], kept: Distinct) -> Doc:
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "version": chunk.version,
        "title": chunk.title,
        "rank": rank,
        "score": score,
        "lanes": lanes,
        "also_in": list(kept.also_in),
    }
