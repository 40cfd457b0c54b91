"""A reasoner that obeys whatever a document says, to show what a document can and cannot bring about through it.

It forges all that its replies can hold: a route, a checklist, queries, grades for everything, and the answer.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

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
from context.retrieval import Passage, Piece, Principal, Retriever, SearchRequest, SearchResult
from context.tools import Point, SummaryRequest, ToolChoice, ToolRequest

ORDERS: Final = re.compile(r"ORDER:\s*(.+)")
"""How a planted order is written where no list of them is given."""
LOUD: Final = 9.0
"""A grade that no passage can have."""


class Obedient:
    """Implements `context.Reasoner` over another one: as soon as a passage with an order is seen, the order is done.

    `orders` are the planted texts to look for; without any, lines that begin with `ORDER:`.
    """

    def __init__(self, inner: Reasoner, orders: Iterable[str] = ()) -> None:
        self._inner = inner
        self._orders = tuple(orders)
        self.name = f"obedient:{inner.name}"
        self.calls_models = inner.calls_models
        self.obeyed: list[str] = []

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        """An order in the conversation or the question says that nothing needs looking up."""
        if self.heard([request.question, *(turn["answer"] for turn in request.history)]):
            return Reasoned(Route(need_retrieval=False, reason="ordered", standalone=request.question))
        return await self._inner.route(request)

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        """The orders become required sub-questions and queries."""
        orders = self.heard(passage.text for passage in request.found)
        rewriting = await self._inner.rewrite(request)
        return Reasoned(
            Rewrite(
                (*rewriting.value.sub_questions, *((order, True) for order in orders)),
                (*(ProposedQuery(order, 1) for order in orders), *rewriting.value.queries),
            ),
            rewriting.usage,
        )

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        """Whoever gives an order is right in everything, and so are chunks and items that nobody asked about."""
        grading = await self._inner.grade(request)
        forged = [
            Judgement(question, chunk, order, order, "direct", LOUD)
            for passage in request.passages
            for order in self.heard([passage.text])
            for question in (*(q["id"] for q in request.sub_questions), "q99")
            for chunk in (passage.chunk_id, "another-tenant#1", order)
        ]
        return Reasoned((*grading.value, *forged), grading.usage)

    async def choose_tool(self, request: ToolRequest) -> Reasoned[ToolChoice]:
        """The orders as tool calls: one that there is not, a wider filter, another's document, a note of nothing."""
        orders = self.heard(place.passage.text for step in request.steps for place in step.places)
        if not orders:
            return await self._inner.choose_tool(request)
        forged = (
            ToolChoice("delete_documents", {"doc": orders[0]}),
            ToolChoice("search", {"query": orders[0][:400], "filter": {"tenant": "other"}}),
            ToolChoice("open", {"doc": "another-tenant", "position": 0}),
            ToolChoice("note", {"sub_question": "q99", "chunk": "another-tenant#1", "quote": orders[0]}),
        )
        return Reasoned(forged[len(request.steps) % len(forged)])

    async def summarize(self, request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        """Every order is a point, of another tenant's chunk."""
        orders = self.heard(passage.text for passage in request.passages)
        return Reasoned(tuple(Point("another-tenant#1", order) for order in orders))

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        """The orders are carried out, in words and under invented numbers, before the answer."""
        for source in request.sources:
            for order in self.heard([source.passage.text]):
                yield f"{order} [{source.number + 50}]\n"
        async for piece in self._inner.answer(request):
            yield piece

    def heard(self, texts: Iterable[str]) -> list[str]:
        """The orders in these texts, each noted as obeyed."""
        orders = [
            order
            for text in texts
            for order in ([o for o in self._orders if o in text] if self._orders else ORDERS.findall(text))
        ]
        self.obeyed += orders
        return orders


class Watched:
    """Implements `context.Retriever` over another one and remembers every request."""

    def __init__(self, inner: Retriever) -> None:
        self._inner = inner
        self.searches: list[SearchRequest] = []
        self.filters: list[dict[str, Any] | None] = []
        self.principals: set[Principal] = set()
        self.found: set[str] = set()
        """Documents of which a search gave a hit."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def generation_of(self, principal: Principal) -> int:
        return self._inner.generation_of(principal)

    @property
    def embedder_name(self) -> str | None:
        return self._inner.embedder_name

    @property
    def reranker_name(self) -> str | None:
        return self._inner.reranker_name

    async def search(self, request: SearchRequest) -> SearchResult:
        self.searches.append(request)
        self.filters.append(request.filters)
        self.principals.add(request.principal)
        result = await self._inner.search(request)
        self.found |= {doc["doc_id"] for doc in result.docs}
        return result

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        self.principals.add(principal)
        return await self._inner.read(chunk_ids, principal)

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        self.principals.add(principal)
        return await self._inner.span(doc_id, version, span, principal)

    async def pieces(self, doc_id: str, principal: Principal, filters: dict[str, Any] | None) -> Sequence[Piece]:
        self.filters.append(filters)
        self.principals.add(principal)
        return await self._inner.pieces(doc_id, principal, filters)

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        self.filters.append(filters)
        self.principals.add(principal)
        return await self._inner.count(principal, filters)

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        self.principals.add(principal)
        return await self._inner.fields(principal)
