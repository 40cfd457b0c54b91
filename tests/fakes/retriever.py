"""A retriever over passages in memory: every passage that shares a token with a query is a hit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from context.retrieval import Passage, Piece, Principal, SearchRequest, SearchResult
from state import Doc, LaneReport
from text.tokens import tokens


def passage(text: str, *, doc_id: str = "", title: str = "", version: str = "v1") -> Passage:
    """A passage whose id is readable in a failing test."""
    doc_id = doc_id or text[:12]
    return Passage(f"{doc_id}#1", doc_id, version, title or doc_id, "", text)


class MemoryRetriever:
    """Implements `context.Retriever`; `failing` names queries whose only lane fails. Repeated queries are free."""

    embedder_name: str | None = None
    reranker_name: str | None = None

    def __init__(
        self,
        passages: Sequence[Passage] = (),
        *,
        failing: Sequence[str] = (),
        fields: Mapping[str, Collection[str | int | float]] | None = None,
    ) -> None:
        self.passages = {p.chunk_id: p for p in passages}
        self.failing = set(failing)
        self.known_fields = fields or {}
        self.requests: list[SearchRequest] = []
        self._known: set[str] = set()

    def generation_of(self, principal: Principal) -> int:
        return 1

    async def search(self, request: SearchRequest) -> SearchResult:
        self.requests.append(request)
        new = [query for query in request.queries if query not in self._known]
        self._known.update(new)
        docs = [doc for doc in (self._doc(p, request.queries) for p in self.passages.values()) if doc["lanes"]]
        docs.sort(key=lambda doc: (-doc["score"], doc["chunk_id"]))
        kept = [{**doc, "rank": rank} for rank, doc in enumerate(docs[: request.top_k], start=1)]
        return SearchResult(tuple(kept), tuple(self._report(q, docs) for q in request.queries), len(new))  # type: ignore[arg-type]  # a spread TypedDict loses its name

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        return {chunk_id: self.passages[chunk_id] for chunk_id in chunk_ids if chunk_id in self.passages}

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        return next((p.text[slice(*span)] for p in self.passages.values() if p.doc_id == doc_id), None)

    async def pieces(self, doc_id: str, principal: Principal, filters: dict[str, Any] | None) -> Sequence[Piece]:
        found = [p for p in self.passages.values() if p.doc_id == doc_id]
        return [Piece(p.chunk_id, p.start, p.end or p.start + len(p.text)) for p in found]

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        return len(self.passages)

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        return self.known_fields

    def _doc(self, found: Passage, queries: Sequence[str]) -> Doc:
        words = set(tokens(found.text))
        shared = {q: len(words & set(tokens(q))) for q in queries if q not in self.failing}
        return {
            "chunk_id": found.chunk_id,
            "doc_id": found.doc_id,
            "version": found.version,
            "title": found.title,
            "rank": 0,
            "score": float(sum(shared.values())),
            "lanes": [{"query": q, "lane": "keyword", "rank": 1, "score": float(n)} for q, n in shared.items() if n],
        }

    def _report(self, query: str, docs: Sequence[Doc]) -> LaneReport:
        hits = sum(any(lane["query"] == query for lane in doc["lanes"]) for doc in docs)
        error = "the keyword lane failed" if query in self.failing else None
        return {"query": query, "lane": "keyword", "hits": hits, "cached": False, "error": error}
