"""A search over one partition: every lane of every query, then fusion, in one visit to a thread or in none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

import errors
from context.retrieval import Principal, SearchRequest, SearchResult
from corpus.cache import LRU
from corpus.embeddings.remembered import RememberedQueries
from corpus.filters import canonical, compile_filter
from corpus.fuser import Fuser, Fusing, QueryVectors
from corpus.lanes import keyword
from corpus.lanes.match import Answer, Mask, Match, RankedList
from corpus.lanes.vector import VectorLane
from corpus.masks import mask
from corpus.partition import Partition
from corpus.pending import Pending, Scope
from corpus.threads import Turns
from state import Doc, Lane, LaneReport
from text.normalise import says_something
from text.tokens import named_codes, tokens

_RESULTS: Final = 2_000
_MASKS: Final = 50

_log = logging.getLogger(__name__)


class Searcher:
    """Keeps what it found, by exact key. A lane that fails is an answer with an error, and is not kept."""

    def __init__(
        self, fusing: Fusing, vectors: VectorLane | None, queries: RememberedQueries | None, turns: Turns
    ) -> None:
        self._fuser = Fuser(fusing, vectors)
        self._vectors = vectors
        self._queries = queries
        self._turns = turns
        self._results: LRU[tuple[Scope, int, Lane, str], Answer] = LRU(_RESULTS)
        self._masks: LRU[Scope, tuple[Mask | None]] = LRU(_MASKS)

    async def search(self, partition: Partition, request: SearchRequest, ends_at: float | None = None) -> SearchResult:
        """Fused hits and a report a lane and query; blank queries and repeats are left out.

        The embedder is waited for until `ends_at` on the clock of the event loop: without it the vector lane is lost.
        """
        first = search = self._begun(partition, request, request.depth)
        vectors = await self._embedded(first, ends_at)
        docs = await self._docs(first, vectors)
        while len(docs) < request.top_k and search.may_go_deeper():
            search = self._begun(partition, request, 2 * search.depth)
            docs = await self._docs(search, vectors)
        return SearchResult(docs=tuple(docs), lanes=tuple(_reports(first)), searches=_searches(first))

    async def lists(self, partition: Partition, request: SearchRequest) -> list[RankedList]:
        """What the lanes found, before fusion."""
        search = self._begun(partition, request, request.depth)
        vectors = await self._embedded(search)

        def found() -> list[RankedList]:
            self._answer(search, vectors)
            return self._fuser.lists(partition, request, search.ordered(), vectors)

        lists = await asyncio.to_thread(found)
        self._keep(search)
        return lists

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

    def _begun(self, partition: Partition, request: SearchRequest, depth: int) -> Pending:
        """With what is known already. Raises `errors.BadRequest` on a bad filter."""
        scope = _scope(partition, request.principal, request.filters)
        queries = [query for query in dict.fromkeys(request.queries) if says_something(query)]
        search = Pending(partition, request, depth, queries, scope, self._masks.get(scope))
        for query in queries:
            for lane in request.lanes:
                known = self._results.get((scope, depth, lane, query))
                if known is not None:
                    search.answers[query, lane] = replace(known, cached=True)
        return search

    def _keep(self, search: Pending) -> None:
        if search.mask is not None:
            self._masks.put(search.scope, search.mask)
        for (query, lane), answer in search.answers.items():
            if not answer.cached and answer.error is None:
                self._results.put((search.scope, search.depth, lane, query), answer)

    async def _embedded(self, search: Pending, ends_at: float | None = None) -> QueryVectors | str:
        """A vector a query, or the sentence that says why there are none.

        Where it takes time, the keyword lane does not wait for the embedder.
        """
        queries = search.queries if "vector" in search.request.lanes else ()
        if not queries or self._queries is None or search.is_short() or self._queries.remembered(queries):
            return await self._query_vectors(queries, ends_at)
        by_keyword = asyncio.to_thread(self._by_keyword, search)
        vectors, _ = await asyncio.gather(self._query_vectors(queries, ends_at), by_keyword)
        return vectors

    async def _query_vectors(self, queries: Sequence[str], ends_at: float | None) -> QueryVectors | str:
        if self._vectors is None or self._queries is None:
            return "The vector lane is off: there is no embedder."
        try:
            async with asyncio.timeout_at(ends_at):
                return dict(zip(queries, await self._queries.vectors(queries), strict=True))
        except errors.GapseekError as error:
            return error.sentence
        except TimeoutError:
            return "The embedder did not answer in time."
        except Exception:
            return _failed("vector")

    async def _docs(self, search: Pending, vectors: QueryVectors | str) -> list[Doc]:
        def found() -> list[Doc]:
            self._answer(search, vectors)
            return self._fuser.docs(search.partition, search.request, search.ordered(), vectors)

        docs = await self._turns.call(found, short=search.is_short())
        self._keep(search)
        return docs

    def _answer(self, search: Pending, vectors: QueryVectors | str) -> None:
        self._by_keyword(search)
        self._by_vector(search, vectors)

    def _by_keyword(self, search: Pending) -> None:
        postings = search.partition.postings

        def found(words: Sequence[str]) -> list[Match]:
            return keyword.search(postings, words, search.depth, search.allowed()) if words else []

        def ask(queries: Sequence[str]) -> list[Answer]:
            return [Answer(found(tokens(query)), found(named_codes(query))) for query in queries]

        _put(search, "keyword", ask)

    def _by_vector(self, search: Pending, vectors: QueryVectors | str) -> None:
        if isinstance(vectors, str) or self._vectors is None:
            sentence = vectors if isinstance(vectors, str) else None
            search.answers |= {(query, "vector"): Answer(error=sentence) for query in search.open("vector")}
            return
        lane, partition = self._vectors, search.partition

        def ask(queries: Sequence[str]) -> list[Answer]:
            rows = np.stack([vectors[query] for query in queries])
            return list(map(Answer, lane.search(partition, rows, search.depth, search.allowed())))

        _put(search, "vector", ask)


def _put(search: Pending, lane: Lane, ask: Callable[[Sequence[str]], list[Answer]]) -> None:
    """Put the lane's answers to its open queries, or its error."""
    queries = search.open(lane)
    if not queries:
        return
    try:
        found = ask(queries)
    except errors.GapseekError as error:
        found = [Answer(error=error.sentence)] * len(queries)
    except Exception:
        found = [Answer(error=_failed(lane))] * len(queries)
    search.answers |= {(query, lane): answer for query, answer in zip(queries, found, strict=True)}


def ends_at(timeout_s: float | None) -> float | None:
    """The end of so many seconds on the clock of the event loop; None is never."""
    return None if timeout_s is None else asyncio.get_running_loop().time() + timeout_s


def _failed(lane: Lane) -> str:
    _log.exception("The %s lane failed", lane)
    return f"The {lane} lane failed."


def _scope(partition: Partition, principal: Principal, filters: Mapping[str, Any] | None) -> Scope:
    compile_filter(filters)  # what is not in the language may have no canonical form
    return partition.tenant, partition.generation, principal.groups, canonical(filters)


def _searches(search: Pending) -> int:
    """Queries that some lane had to be asked."""
    return len({query for (query, _), answer in search.answers.items() if not answer.cached and answer.error is None})


def _reports(search: Pending) -> list[LaneReport]:
    return [
        {
            "query": query,
            "lane": lane,
            "hits": len(answer.matches),
            "cached": answer.cached,
            "error": answer.error,
        }
        for (query, lane), answer in search.ordered().items()
    ]
