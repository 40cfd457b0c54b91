"""A filter that the question itself names: searched beside the whole, joined by rank, so that nothing is lost by it.

It joins finished rankings and so does not depend on how the lanes were fused.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import errors
from context.retrieval import SearchRequest, SearchResult
from state import NARROWED_WEIGHT, RRF_K, Doc, LaneRank, LaneReport

Search = Callable[[SearchRequest], Awaitable[SearchResult]]
Copies = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Of chunk_ids, best first, those that repeat none before them, each with the documents that say the same."""


async def search(request: SearchRequest, once: Search, copies: Copies) -> SearchResult:
    """What the request finds; with `narrowed`, also what it finds within that, each place marked so.

    The caller's own filter holds in both. Raises what `once` raises.
    """
    plain = replace(request, narrowed=None)
    whole = await once(plain)
    if not request.narrowed:
        return whole
    both = {"$and": [request.filters, request.narrowed]} if request.filters else request.narrowed
    try:
        within = await once(replace(plain, filters=both))
    except errors.BadRequest:  # the caller's filter was fine: together they are deeper or longer than filters may be
        return whole
    return joined(whole, within, request.top_k, copies)


def joined(whole: SearchResult, within: SearchResult, top_k: int, copies: Copies) -> SearchResult:
    """The best `top_k` of both by 1 / (60 + rank), the narrowed ones at half; a query of both is one search."""
    scores: dict[str, float] = {}
    docs: dict[str, Doc] = {}
    for result, weight in ((whole, 1.0), (_marked(within), NARROWED_WEIGHT)):
        for doc in result.docs:
            name = doc["chunk_id"]
            scores[name] = scores.get(name, 0.0) + weight / (RRF_K + doc["rank"])
            docs[name] = _with_places(docs.get(name, doc), docs[name]["lanes"] if name in docs else (), doc["lanes"])
    # Each list is without repeats, but of two copies one may lead the whole and the other the narrowed list.
    also_in = copies(sorted(docs, key=lambda name: (-scores[name], name)))
    best = list(also_in)[:top_k]
    return SearchResult(
        docs=tuple(_placed(docs[name], rank, scores[name], also_in[name]) for rank, name in enumerate(best, start=1)),
        lanes=(*whole.lanes, *_marked(within).lanes),
        searches=max(whole.searches, within.searches),
    )


def _marked(result: SearchResult) -> SearchResult:
    """Every place and report says that it comes from within."""
    docs = tuple(_with_places(doc, (), map(_mark, doc["lanes"])) for doc in result.docs)
    return replace(result, docs=docs, lanes=tuple(map(_mark_report, result.lanes)))


def _mark(place: LaneRank) -> LaneRank:
    return {**place, "narrowed": True}


def _mark_report(report: LaneReport) -> LaneReport:
    return {**report, "narrowed": True}


def _with_places(doc: Doc, before: Iterable[LaneRank], more: Iterable[LaneRank]) -> Doc:
    return {**doc, "lanes": [*before, *more]}


def _placed(doc: Doc, rank: int, score: float, also_in: Iterable[str]) -> Doc:
    named = dict.fromkeys([*doc.get("also_in", []), *also_in])
    return {**doc, "rank": rank, "score": score, "also_in": list(named)}
