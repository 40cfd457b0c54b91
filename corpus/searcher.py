"""A search over one partition: every lane of every query in parallel, then fusion."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import errors
from context import Principal, SearchRequest, SearchResult
from corpus.cache import LRU
from corpus.embeddings.remembered import RememberedQueries
from corpus.filters import canonical
from corpus.fuser import Fuser, Fusing, Read
from corpus.lanes import keyword
from corpus.lanes.match import Answer, Answers, Mask, Match, RankedList
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from state import Lane, LaneReport
from text.normalise import clean
from text.tokens import tokens

_RESULTS: Final = 2_000
_MASKS: Final = 50
_DEEPEST: Final = 400
"""How deep a search goes on looking when what it found mostly says the same."""

_log = logging.getLogger(__name__)

Scope = tuple[str, int, frozenset[str], str]
"""What a result depends on beside query, lane and depth: tenant, its generation, groups, filter."""


@dataclass(frozen=True)
class _Search:
    """One request, resolved."""

    partition: Partition
    scope: Scope
    mask: Mask | None
    depth: int


class Searcher:
    """Keeps what it found, by exact key. A lane that fails is an answer with an error, and is not kept."""

    def __init__(
        self, fusing: Fusing, vectors: VectorLane | None, queries: RememberedQueries | None, read: Read
    ) -> None:
        self._fuser = Fuser(fusing, vectors, queries, read)
        self._vectors = vectors
        self._queries = queries
        self._results: LRU[tuple[Scope, int, Lane, str], Sequence[Match]] = LRU(_RESULTS)
        self._masks: LRU[Scope, tuple[Mask | None]] = LRU(_MASKS)

    async def search(self, partition: Partition, request: SearchRequest) -> SearchResult:
        """Fused hits and a report a lane and query; blank queries and repeats are left out."""
        search = await self._resolved(partition, request)
        answers = await self._answers(search, request)
        docs = await self._fuser.docs(partition, request, answers)
        deeper, again = search, answers
        while len(docs) < request.top_k and _may_go_deeper(deeper, again):
            deeper = replace(deeper, depth=2 * deeper.depth)
            again = await self._answers(deeper, request)
            docs = await self._fuser.docs(partition, request, again)
        return SearchResult(
            docs=tuple(docs),
            lanes=tuple(_report(query, lane, answer) for (query, lane), answer in answers.items()),
            searches=len(
                {query for (query, _), answer in answers.items() if not answer.cached and answer.error is None}
            ),
        )

    async def lists(self, partition: Partition, request: SearchRequest) -> list[RankedList]:
        """What the lanes found, before fusion."""
        search = await self._resolved(partition, request)
        return await self._fuser.lists(partition, request, await self._answers(search, request))

    async def _resolved(self, partition: Partition, request: SearchRequest) -> _Search:
        mask = await self.mask(partition, request.principal, request.filters)
        return _Search(partition, _scope(partition, request.principal, request.filters), mask, request.depth)

    async def _answers(self, search: _Search, request: SearchRequest) -> Answers:
        queries = [query for query in dict.fromkeys(request.queries) if clean(query).strip()]
        of_lanes = await asyncio.gather(*(self._lane(search, lane, queries) for lane in request.lanes))
        return {
            (query, lane): of_lane[query]
            for query, (lane, of_lane) in product(queries, zip(request.lanes, of_lanes, strict=True))
        }

    async def mask(self, partition: Partition, principal: Principal, filters: Mapping[str, Any] | None) -> Mask | None:
        """What may enter a lane; None when that is everything. Raises `errors.BadRequest` on a bad filter."""
        scope = _scope(partition, principal, filters)
        known = self._masks.get(scope)
        if known is None:
            known = (await asyncio.to_thread(partition.mask, principal, filters),)
            self._masks.put(scope, known)
        return known[0]

    async def _lane(self, search: _Search, lane: Lane, queries: Sequence[str]) -> dict[str, Answer]:
        known = {query: self._results.get((search.scope, search.depth, lane, query)) for query in queries}
        new = [query for query, matches in known.items() if matches is None]
        answers = {query: Answer(matches, cached=True) for query, matches in known.items() if matches is not None}
        if new:
            answers |= await self._fresh(search, lane, new)
        return answers

    async def _fresh(self, search: _Search, lane: Lane, queries: Sequence[str]) -> dict[str, Answer]:
        ask = self._keyword if lane == "keyword" else self._vector
        try:
            found = await ask(search, queries)
        except errors.GapseekError as error:
            return {query: Answer(error=error.sentence) for query in queries}
        except Exception:
            _log.exception("The %s lane failed", lane)
            return {query: Answer(error=f"The {lane} lane failed.") for query in queries}
        for query, matches in zip(queries, found, strict=True):
            self._results.put((search.scope, search.depth, lane, query), matches)
        return {query: Answer(matches) for query, matches in zip(queries, found, strict=True)}

    async def _keyword(self, search: _Search, queries: Sequence[str]) -> list[list[Match]]:
        def ask(query: str) -> list[Match]:
            return keyword.search(search.partition.postings, tokens(query), search.depth, search.mask)

        return await asyncio.gather(*(asyncio.to_thread(ask, query) for query in queries))

    async def _vector(self, search: _Search, queries: Sequence[str]) -> list[list[Match]]:
        if self._vectors is None or self._queries is None:
            raise errors.Unavailable("The vector lane is off: there is no embedder.")
        vectors = await self._queries.vectors(queries)
        return await asyncio.to_thread(self._vectors.search, search.partition, vectors, search.depth, search.mask)


def _may_go_deeper(search: _Search, answers: Answers) -> bool:
    """Whether a lane has more to give than it was asked for."""
    full = any(len(answer.matches) >= search.depth for answer in answers.values())
    return full and 2 * search.depth <= _DEEPEST


def _scope(partition: Partition, principal: Principal, filters: Mapping[str, Any] | None) -> Scope:
    return partition.tenant, partition.generation, principal.groups, canonical(filters)


def _report(query: str, lane: Lane, answer: Answer) -> LaneReport:
    return {
        "query": query,
        "lane": lane,
        "hits": len(answer.matches),
        "cached": answer.cached,
        "error": answer.error,
    }
