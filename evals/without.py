"""Collaborators with one part of the loop taken out, to see what that part is worth. Only measurements use them.

Each is made anew for an ask: what it remembers is of that ask alone. In all else it is what it stands before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from context.reasoning import ProposedQuery, Reasoned, Reasoner, Rewrite, RewriteRequest
from context.retrieval import Retriever, SearchRequest, SearchResult
from evidence import Gap
from state import SubQuestion


class _Before:
    """Whatever a subclass does not do itself is left to the collaborator behind it, however many doors that has."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _WithoutOwnQuestion(_Before):
    """The asker's own words, which come first in an ask's first search, are searched for only where nothing else is."""

    _own: str | None = None

    async def search(self, request: SearchRequest) -> SearchResult:
        self._own = self._own or request.queries[0]
        others = tuple(query for query in request.queries if query != self._own)
        return cast(SearchResult, await self._inner.search(replace(request, queries=others or request.queries)))


class _WithoutRerank(_Before):
    """The fused order stands."""

    reranker_name = None

    async def search(self, request: SearchRequest) -> SearchResult:
        return cast(SearchResult, await self._inner.search(replace(request, rerank=False)))


class _AlwaysAsAtFirst(_Before):
    """Every search goes as wide and deep, through the same lanes, as the first one of the ask did."""

    _first: SearchRequest | None = None

    async def search(self, request: SearchRequest) -> SearchResult:
        self._first = self._first or request
        as_at_first = replace(self._first, queries=request.queries, timeout_s=request.timeout_s)
        return cast(SearchResult, await self._inner.search(as_at_first))


class _WithoutFeedback(_Before):
    """Later queries are for the whole checklist: it is told neither what is missing nor what is known.

    It still sees what was searched for and found, as blind relevance feedback does.
    """

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        if not request.sub_questions:
            return cast(Reasoned[Rewrite], await self._inner.rewrite(request))
        blind = replace(request, gaps=tuple(map(_as_if_missing, request.sub_questions)), ledger=(), conflicts=())
        told = await self._inner.rewrite(blind)
        queries = tuple(ProposedQuery(query.text, None) for query in told.value.queries)
        return cast(Reasoned[Rewrite], replace(told, value=replace(told.value, queries=queries)))


def without_own_question(inner: Retriever) -> Retriever:
    """Everything is searched for but the asker's own words, as long as there is anything else."""
    return cast(Retriever, _WithoutOwnQuestion(inner))


def without_rerank(inner: Retriever) -> Retriever:
    """Nothing is re-ordered after fusion."""
    return cast(Retriever, _WithoutRerank(inner))


def always_as_at_first(inner: Retriever) -> Retriever:
    """No search is changed by what the ones before it brought."""
    return cast(Retriever, _AlwaysAsAtFirst(inner))


def without_feedback(inner: Reasoner) -> Reasoner:
    """Later queries are aimed at nothing in particular."""
    return cast(Reasoner, _WithoutFeedback(inner))


def _as_if_missing(question: SubQuestion) -> Gap:
    return {"sub_question_id": question["id"], "text": question["text"], "kind": "missing", "tried": []}
