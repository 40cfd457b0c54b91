"""An index over a few texts in memory: a hit shares a pair of characters with the query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from context.retrieval import Passage, Piece, Principal, SearchRequest, SearchResult
from corpus.changes import Progress
from corpus.documents import DocumentInfo, NewDocument, Outcome, plain_metadata
from corpus.store.catalogue import Counts, Page
from corpus.writer import Embedded
from errors import BadRequest
from state import Doc, LaneReport


class MemoryIndex:
    """Has the doors of `corpus.index.Index`; a `broken` lane reports an error instead of hits."""

    def __init__(self, texts: dict[str, str], *, broken: Sequence[str] = (), vector: bool = True) -> None:
        self.generation = 1
        self.waiting = 0
        self.degraded: list[str] = []
        self.refused: set[str] = set()
        self.embedder_name = "memory" if vector else None
        self.reranker_name: str | None = None
        self.broken = set(broken)
        self.requests: list[SearchRequest] = []
        self.passages: dict[str, Passage] = {}
        self.groups: dict[str, frozenset[str] | None] = {}
        for doc_id, text in texts.items():
            self._put(NewDocument(doc_id, text))

    async def search(self, request: SearchRequest) -> SearchResult:
        self.requests.append(request)
        reports: list[LaneReport] = [
            {
                "query": query,
                "lane": lane,
                "hits": 0 if lane in self.broken else len(self._ranked(query)),
                "cached": False,
                "error": f"the {lane} lane failed" if lane in self.broken else None,
            }
            for query in request.queries
            for lane in request.lanes
        ]
        docs = () if self.broken >= set(request.lanes) else tuple(self._docs(request))
        return SearchResult(docs, tuple(reports), len(request.queries))

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        return {chunk_id: self.passages[chunk_id] for chunk_id in chunk_ids if chunk_id in self.passages}

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        return next((p.text[slice(*span)] for p in self.passages.values() if p.doc_id == doc_id), None)

    async def pieces(self, doc_id: str, principal: Principal, filters: dict[str, Any] | None) -> Sequence[Piece]:
        found = [p for p in self.passages.values() if p.doc_id == doc_id]
        return [Piece(p.chunk_id, p.start, p.end or p.start + len(p.text)) for p in found]

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        if any(name.startswith("$") for name in filters or {}):
            raise BadRequest("This filter has an unknown operator.")
        return len(self.passages)

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        return {}

    async def add(
        self,
        documents: Sequence[NewDocument | Outcome],
        principal: Principal,
        progress: Progress = lambda done, total, outcome: None,
        embedded: Embedded = lambda doc_id, done, total: None,
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for document in documents:
            if isinstance(document, NewDocument):
                embedded(document.doc_id, 1, 1)
            outcomes.append(document if isinstance(document, Outcome) else self._put(document))
            progress(len(outcomes), len(documents), outcomes[-1])
        return outcomes

    async def delete(self, doc_id: str, principal: Principal) -> bool:
        return self.passages.pop(f"{doc_id}-1", None) is not None

    @property
    def catalogue(self) -> MemoryCatalogue:
        return MemoryCatalogue(self)

    def generation_of(self, principal: Principal) -> int:
        return self.generation

    async def size(self) -> Counts:
        return Counts(len(self.passages), len(self.passages))

    def cache_counts(self) -> dict[str, dict[str, int]]:
        return {"results": {"hits": 1, "misses": 2, "size": 2}}

    async def counts(self, principal: Principal) -> Counts:
        return Counts(len(self.passages), len(self.passages))

    def _put(self, document: NewDocument) -> Outcome:
        doc_id = document.doc_id
        if doc_id in self.refused:
            return Outcome(doc_id, "failed", sentence="This document cannot be indexed.")
        try:
            metadata = plain_metadata({**document.extracted, **document.metadata})
        except BadRequest as error:
            return Outcome(doc_id, "failed", sentence=error.sentence)
        title = document.title or doc_id.title()
        known = f"{doc_id}-1" in self.passages
        self.groups[doc_id] = document.groups
        self.passages[f"{doc_id}-1"] = Passage(f"{doc_id}-1", doc_id, "v1", title, "", document.text, metadata)
        return Outcome(doc_id, "updated" if known else "added", chunks=1, notes=document.notes)

    def _docs(self, request: SearchRequest) -> list[Doc]:
        found = dict.fromkeys(chunk_id for query in request.queries for chunk_id in self._ranked(query))
        working = [lane for lane in request.lanes if lane not in self.broken]
        return [
            {
                "chunk_id": chunk_id,
                "doc_id": self.passages[chunk_id].doc_id,
                "version": "v1",
                "title": self.passages[chunk_id].title,
                "rank": rank,
                "score": 1 / (60 + rank),
                "lanes": [
                    {"query": query, "lane": lane, "rank": self._ranked(query).index(chunk_id) + 1, "score": 1.0}
                    for query in request.queries
                    for lane in working
                    if chunk_id in self._ranked(query)
                ],
            }
            for rank, chunk_id in enumerate(list(found)[: request.top_k], start=1)
        ]

    def _ranked(self, query: str) -> list[str]:
        shared = {chunk_id: len(_pairs(query) & _pairs(passage.text)) for chunk_id, passage in self.passages.items()}
        return sorted((chunk_id for chunk_id, count in shared.items() if count), key=lambda c: (-shared[c], c))


class MemoryCatalogue:
    """Every document on one page."""

    def __init__(self, index: MemoryIndex) -> None:
        self._index = index

    def page(self, principal: Principal, prefix: str = "", after: str | None = None, limit: int = 100) -> Page:
        held = [
            DocumentInfo(p.doc_id, p.version, p.title, p.metadata, (), 1)
            for p in self._index.passages.values()
            if p.doc_id.startswith(prefix)
        ]
        return Page(held, len(held), None)


def _pairs(text: str) -> set[str]:
    low = "".join(text.lower().split())
    return {low[place : place + 2] for place in range(len(low) - 1)}
