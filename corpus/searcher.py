"""A search over one partition: every lane of every query, then fusion, in one visit to a thread where that suffices."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import errors
from context import Principal, SearchRequest, SearchResult, Vectors
from corpus.cache import LRU
from corpus.embeddings.remembered import RememberedQueries
from corpus.filters import canonical, compile_filter
from corpus.lanes import keyword
from corpus.lanes.fusion import RankedList, fuse
from corpus.lanes.match import Mask, Match
from corpus.lanes.vector import VectorLane
from corpus.masks import mask
from corpus.partition import Partition
from state import Doc, Lane, LaneReport
from text.normalise import clean
from text.tokens import tokens

_RESULTS: Final = 2_000
_MASKS: Final = 50

_log = logging.getLogger(__name__)

Scope = tuple[str, int, frozenset[str], str]
"""What a result depends on beside query, lane and depth: tenant, its generation, groups, filter."""


@dataclass(frozen=True)
class _Answer:
    """One lane's answer to one query."""

    matches: Sequence[Match] = ()
    cached: bool = False
    error: str | None = None


@dataclass
class _Search:
    """One request as it is worked on; `mask` is None until it is known, and holds None when everything may enter."""

    partition: Partition
    request: SearchRequest
    queries: Sequence[str]
    scope: Scope
    mask: tuple[Mask | None] | None
    answers: dict[tuple[str, Lane], _Answer] = field(default_factory=dict)

    def open(self, lane: Lane) -> list[str]:
        """Queries that this lane has not answered yet."""
        wanted = self.queries if lane in self.request.lanes else ()
        return [query for query in wanted if (query, lane) not in self.answers]

    def allowed(self) -> Mask | None:
        """What may enter a lane; computed by the first that asks."""
        if self.mask is None:
            self.mask = (mask(self.partition, self.request.principal, self.request.filters),)
        return self.mask[0]


class Searcher:
    """Keeps what it found, by exact key. A lane that fails is an answer with an error, and is not kept."""

    def __init__(
        self, weights: Mapping[Lane, float], vectors: VectorLane | None, queries: RememberedQueries | None
    ) -> None:
        self._weights = weights
        self._vectors = vectors
        self._queries = queries
        self._results: LRU[tuple[Scope, int, Lane, str], Sequence[Match]] = LRU(_RESULTS)
        self._masks: LRU[Scope, tuple[Mask | None]] = LRU(_MASKS)

    async def search(self, partition: Partition, request: SearchRequest) -> SearchResult:
        """Fused hits and a report a lane and query; blank queries and repeats are left out."""
        search = self._begun(partition, request)
        asked = search.open("vector")
        if asked and self._queries is not None and not self._queries.remembered(asked):
            # The keyword lane does not wait for the embedder.
            vectors, _ = await asyncio.gather(self._embedded(asked), asyncio.to_thread(self._by_keyword, search))
        else:
            vectors = await self._embedded(asked)
        docs = await asyncio.to_thread(self._found, search, vectors)
        self._keep(search)
        return SearchResult(docs=tuple(docs), lanes=tuple(_reports(search)), searches=_searches(search))

    async def mask(self, partition: Partition, principal: Principal, filters: Mapping[str, Any] | None) -> Mask | None:
        """What may enter a lane; None when that is everything. Raises `errors.BadRequest` on a bad filter."""
        scope = _scope(partition, principal, filters)
        known = self._masks.get(scope)
        if known is None:
            known = (await asyncio.to_thread(mask, partition, principal, filters),)
            self._masks.put(scope, known)
        return known[0]

    def cache_counts(self) -> dict[str, dict[str, int]]:
        """Hits, misses and size of what is kept of results and masks."""
        return {"results": self._results.counts(), "masks": self._masks.counts()}

    def _begun(self, partition: Partition, request: SearchRequest) -> _Search:
        """With what is known already. Raises `errors.BadRequest` on a bad filter."""
        compile_filter(request.filters)
        scope = _scope(partition, request.principal, request.filters)
        queries = [query for query in dict.fromkeys(request.queries) if clean(query).strip()]
        search = _Search(partition, request, queries, scope, self._masks.get(scope))
        for query in queries:
            for lane in request.lanes:
                matches = self._results.get((scope, request.depth, lane, query))
                if matches is not None:
                    search.answers[query, lane] = _Answer(matches, cached=True)
        return search

    def _keep(self, search: _Search) -> None:
        if search.mask is not None:
            self._masks.put(search.scope, search.mask)
        for (query, lane), answer in search.answers.items():
            if not answer.cached and answer.error is None:
                self._results.put((search.scope, search.request.depth, lane, query), answer.matches)

    async def _embedded(self, queries: Sequence[str]) -> Vectors | str:
        """Vectors of the queries, or the sentence that says why there are none."""
        if self._vectors is None or self._queries is None:
            return "The vector lane is off: there is no embedder."
        try:
            return await self._queries.vectors(queries)
        except errors.GapseekError as error:
            return error.sentence
        except Exception:
            return _failed("vector")

    def _found(self, search: _Search, vectors: Vectors | str) -> list[Doc]:
        self._by_keyword(search)
        self._by_vector(search, vectors)
        weights = search.request.weights or self._weights
        lists = [
            RankedList(query, lane, weights.get(lane, 1.0), search.answers[query, lane].matches)
            for query in search.queries
            for lane in search.request.lanes
        ]
        return fuse(lists, search.partition.chunks, search.request.top_k)

    def _by_keyword(self, search: _Search) -> None:
        postings, depth = search.partition.postings, search.request.depth

        def ask(queries: Sequence[str]) -> list[list[Match]]:
            return [keyword.search(postings, tokens(query), depth, search.allowed()) for query in queries]

        _answer(search, "keyword", ask)

    def _by_vector(self, search: _Search, vectors: Vectors | str) -> None:
        if isinstance(vectors, str) or self._vectors is None:
            sentence = vectors if isinstance(vectors, str) else None
            search.answers |= {(query, "vector"): _Answer(error=sentence) for query in search.open("vector")}
            return
        lane, depth = self._vectors, search.request.depth
        _answer(search, "vector", lambda _: lane.search(search.partition, vectors, depth, search.allowed()))


def _answer(search: _Search, lane: Lane, ask: Callable[[Sequence[str]], list[list[Match]]]) -> None:
    """Put the lane's answers to its open queries, or its error."""
    queries = search.open(lane)
    if not queries:
        return
    try:
        found = [_Answer(matches) for matches in ask(queries)]
    except errors.GapseekError as error:
        found = [_Answer(error=error.sentence)] * len(queries)
    except Exception:
        found = [_Answer(error=_failed(lane))] * len(queries)
    search.answers |= {(query, lane): answer for query, answer in zip(queries, found, strict=True)}


def _failed(lane: Lane) -> str:
    _log.exception("The %s lane failed", lane)
    return f"The {lane} lane failed."


def _scope(partition: Partition, principal: Principal, filters: Mapping[str, Any] | None) -> Scope:
    return partition.tenant, partition.generation, principal.groups, canonical(filters)


def _searches(search: _Search) -> int:
    """Queries that some lane had to be asked."""
    return len({query for (query, _), answer in search.answers.items() if not answer.cached and answer.error is None})


def _reports(search: _Search) -> list[LaneReport]:
    return [
        {
            "query": query,
            "lane": lane,
            "hits": len(search.answers[query, lane].matches),
            "cached": search.answers[query, lane].cached,
            "error": search.answers[query, lane].error,
        }
        for query in search.queries
        for lane in search.request.lanes
    ]
