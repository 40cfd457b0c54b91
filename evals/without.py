"""Collaborators with one part of the loop taken out, to see what that part is worth. Only measurements use them.

Each is made anew for an ask: what it remembers is of that ask alone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from context.reasoning import (
    AnswerRequest,
    GradeRequest,
    Judgement,
    ProposedQuery,
    Reasoned,
    Reasoner,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    Usage,
)
from context.retrieval import Passage, Principal, Retriever, SearchRequest, SearchResult
from evidence import Gap
from state import SubQuestion


class Through:
    """A retriever that is another one."""

    def __init__(self, inner: Retriever) -> None:
        self._inner = inner

    @property
    def generation(self) -> int:
        return self._inner.generation

    @property
    def embedder_name(self) -> str | None:
        return self._inner.embedder_name

    @property
    def reranker_name(self) -> str | None:
        return self._inner.reranker_name

    async def search(self, request: SearchRequest) -> SearchResult:
        return await self._inner.search(request)

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        return await self._inner.read(chunk_ids, principal)

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        return await self._inner.span(doc_id, version, span, principal)

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        return await self._inner.count(principal, filters)

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        return await self._inner.fields(principal)


class WithoutOwnQuestion(Through):
    """The asker's own words, which come first in an ask's first search, are searched for only where nothing else is."""

    def __init__(self, inner: Retriever) -> None:
        super().__init__(inner)
        self._own: str | None = None

    async def search(self, request: SearchRequest) -> SearchResult:
        self._own = self._own or request.queries[0]
        others = tuple(query for query in request.queries if query != self._own)
        return await self._inner.search(replace(request, queries=others or request.queries))


class WithoutRerank(Through):
    """The fused order stands."""

    @property
    def reranker_name(self) -> str | None:
        return None

    async def search(self, request: SearchRequest) -> SearchResult:
        return await self._inner.search(replace(request, rerank=False))


class AlwaysAsAtFirst(Through):
    """Every search goes as wide and deep, through the same lanes, as the first one of the ask did."""

    def __init__(self, inner: Retriever) -> None:
        super().__init__(inner)
        self._first: SearchRequest | None = None

    async def search(self, request: SearchRequest) -> SearchResult:
        self._first = self._first or request
        return await self._inner.search(replace(self._first, queries=request.queries, timeout_s=request.timeout_s))


class WithoutFeedback:
    """A reasoner whose later queries are for the whole checklist: it is told neither what is missing nor what is known.

    It still sees what was searched for and found, as blind relevance feedback does.
    """

    def __init__(self, inner: Reasoner) -> None:
        self._inner = inner
        self.name = inner.name
        self.calls_models = inner.calls_models

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        return await self._inner.route(request)

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        if not request.sub_questions:
            return await self._inner.rewrite(request)
        blind = replace(request, gaps=tuple(map(_as_if_missing, request.sub_questions)), ledger=(), conflicts=())
        told = await self._inner.rewrite(blind)
        queries = tuple(ProposedQuery(query.text, None) for query in told.value.queries)
        return replace(told, value=replace(told.value, queries=queries))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        return await self._inner.grade(request)

    def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        return self._inner.answer(request)


def _as_if_missing(question: SubQuestion) -> Gap:
    return {"sub_question_id": question["id"], "text": question["text"], "kind": "missing", "tried": []}
