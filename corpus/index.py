"""The one door of the corpus: search and read, add and delete, each cut to what the principal may see."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

import errors
from context import Embedder, Passage, Principal, SearchRequest, SearchResult, Vectors
from corpus.access import may_see
from corpus.documents import DocumentInfo, NewDocument, Outcome, digest
from corpus.embeddings.remembered import RememberedQueries
from corpus.fuser import EQUAL, Fusing
from corpus.lanes.match import RankedList
from corpus.lanes.postings import Vocabulary
from corpus.lanes.vector import VectorLane
from corpus.neighbours import merged
from corpus.partition import Partition
from corpus.rerank.embedding import EmbeddingReranker
from corpus.reranking import NO_RERANK, Rerank, Reranking
from corpus.searcher import Searcher
from corpus.store.database import Database
from corpus.store.documents import Documents
from corpus.store.terms import recount
from corpus.store.vectors import VectorTable
from corpus.writer import Writer, finished
from text.normalise import clean
from text.tokens import tokens

Progress = Callable[[int, int, Outcome], None]
"""Called after each document with how many are done, how many there are, and what became of this one."""

_CHANGES: Final = ("added", "updated")

_log = logging.getLogger(__name__)


class Index:
    """Implements `Retriever` and `Statistics`. Made by `open`, ended by `close`; one process at a time."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        lane: VectorLane | None,
        fusing: Fusing,
        rerank: Rerank,
    ) -> None:
        self._database = database
        self._documents = Documents(database)
        self._embedder = embedder
        self._table = VectorTable(database, embedder) if embedder else None
        self._lane = lane
        self._queries = RememberedQueries(embedder) if embedder else None
        self._searcher = Searcher(fusing, lane, self._queries, self._documents.passages)
        self._reranking = Reranking(rerank, self._by_embedding(), self._documents.passages)
        self._writer = Writer(self._documents, embedder, self._table)
        self._writing = asyncio.Lock()
        self._partitions: dict[str, Partition] = {}
        self._generation = self._documents.generation()

    @classmethod
    async def open(
        cls, folder: Path, embedder: Embedder | None, fusing: Fusing = EQUAL, rerank: Rerank = NO_RERANK
    ) -> Index:
        """Open or create the index in this folder; without an embedder the vector lane is off.

        Raises `errors.Conflict` when the store is another release's or was built with another embedder, and
        `errors.Unavailable` when vectors are missing and cannot be computed.
        """
        index = await asyncio.to_thread(cls._connect, folder, embedder, fusing, rerank)
        try:
            await index._complete()
        except BaseException:
            await index.close()
            raise
        return index

    @classmethod
    def _connect(cls, folder: Path, embedder: Embedder | None, fusing: Fusing, rerank: Rerank) -> Index:
        folder.mkdir(parents=True, exist_ok=True)
        database = Database.open(folder / "documents.sqlite3")
        try:
            if embedder is None:
                return cls(database, None, None, fusing, rerank)
            table = VectorTable(database, embedder)
            table.claim()
            lane = VectorLane(folder / "vectors", embedder.name, table, embedder.common)
            return cls(database, embedder, lane, fusing, rerank)
        except BaseException:
            database.close()
            raise

    async def _complete(self) -> None:
        """Bring what is derived up to what is stored."""
        await finished(recount, self._database)
        await asyncio.to_thread(tokens, "词")  # so that no first search waits for the dictionary
        if self._table is not None:
            await self._writer.embed(await asyncio.to_thread(self._table.keys_without))
        for tenant in await asyncio.to_thread(self._documents.tenants):
            await self._refresh(tenant, None)

    async def close(self) -> None:
        """Close files; a write under way is finished first."""
        async with self._writing:
            if self._lane is not None:
                await finished(self._lane.close)
            await finished(self._database.close)

    @property
    def generation(self) -> int:
        """Rises with every change of any tenant."""
        return self._generation

    @property
    def embedder_name(self) -> str | None:
        return self._embedder.name if self._embedder else None

    @property
    def reranker_name(self) -> str | None:
        """None when the deployment re-orders nothing."""
        return self._reranking.name

    async def add(
        self,
        documents: Sequence[NewDocument | Outcome],
        principal: Principal,
        progress: Progress = lambda done, total, outcome: None,
    ) -> list[Outcome]:
        """Index documents into the principal's tenant, one after another; all are found once this returns.

        An outcome among them, as `read_folder` gives for a file that it cannot read, is passed on.
        """
        outcomes: list[Outcome] = []
        async with self._writing:
            try:
                for document in documents:
                    outcomes.append(await self._add(document, principal.tenant))
                    progress(len(outcomes), len(documents), outcomes[-1])
            finally:
                changed = {outcome.doc_id for outcome in outcomes if outcome.result in _CHANGES}
                cut_off = {document.doc_id for document in documents[len(outcomes) : len(outcomes) + 1]}
                await self._refresh(principal.tenant, changed | cut_off)
        return outcomes

    async def delete(self, doc_id: str, principal: Principal) -> bool:
        """Remove a document of the principal's tenant with all its versions; False when there is none."""
        async with self._writing:
            deleted = await finished(self._documents.delete, principal.tenant, doc_id)
            if deleted:
                await self._refresh(principal.tenant, {doc_id})
        return bool(deleted)

    async def documents(self, principal: Principal) -> list[DocumentInfo]:
        """Documents that the principal may see, by doc_id."""
        return await asyncio.to_thread(self._documents.visible, principal)

    async def search(self, request: SearchRequest) -> SearchResult:
        """A lane or reranker that fails is told in `lanes`, not raised. Raises `errors.BadRequest` on a bad filter."""
        partition = self._partition(request.principal)
        found = await self._searcher.search(partition, self._reranking.widened(request))
        found = await self._reranking.reordered(found, request)
        return replace(found, docs=merged(found.docs, partition.by_id)) if request.merge else found

    async def candidates(self, request: SearchRequest) -> tuple[list[RankedList], dict[int, Passage]]:
        """What the lanes found before fusion, and the passages of its places: for measuring ways to fuse."""
        partition = self._partition(request.principal)
        lists = await self._searcher.lists(partition, request)
        places = sorted({match.place for ranked in lists for match in ranked.matches})
        passages = await self.read([partition.chunks[place].chunk_id for place in places], request.principal)
        return lists, dict(zip(places, passages.values(), strict=True))

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        """Passages in the order of the ids, without those deleted or not allowed; superseded ones can still be read."""
        found = await asyncio.to_thread(self._documents.passages, list(chunk_ids), principal)
        return {chunk_id: found[chunk_id] for chunk_id in chunk_ids if chunk_id in found}

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        """Characters [start, end) of a version's text; None when it is deleted or not allowed."""
        return await asyncio.to_thread(self._documents.span, doc_id, version, span, principal)

    async def count(self, principal: Principal, filters: Mapping[str, Any] | None) -> int:
        """Chunks visible to the principal that pass the filter. Raises `errors.BadRequest` on a bad one."""
        partition = self._partition(principal)
        mask = await self._searcher.mask(partition, principal, filters)
        return len(partition.chunks) if mask is None else int(mask.sum())

    def tokens(self, text: str) -> list[str]:
        """Tokens as the keyword lane cuts them."""
        return tokens(text)

    def idf(self, token: str, principal: Principal) -> float:
        """ln((N - n + 0.5) / (n + 0.5) + 1) over the chunks of the tenant (Lucene's BM25 idf, never negative)."""
        postings = self._partition(principal).postings
        with_token = postings.document_frequency(token)
        return math.log((postings.size - with_token + 0.5) / (with_token + 0.5) + 1)

    def document_frequency(self, token: str, principal: Principal) -> int:
        """How many chunks of the tenant have the token."""
        return self._partition(principal).postings.document_frequency(token)

    async def similarities(
        self, texts: Sequence[str], chunk_ids: Sequence[str], principal: Principal
    ) -> Vectors | None:
        """Cosines, shape (texts, chunks); 0 for a blank text and for a chunk that is not current or not allowed.

        None when the vector lane is off or the embedder fails.
        """
        if self._table is None or self._queries is None:
            return None
        asked = [place for place, text in enumerate(texts) if clean(text).strip()]
        rows = np.zeros((len(texts), self._table.dimension), np.float32)
        try:
            if asked:
                rows[asked] = await self._queries.vectors([texts[place] for place in asked])
        except errors.Unavailable:
            _log.warning("No similarities: the embedder failed")
            return None
        keys = [self._key(chunk_id, principal) for chunk_id in chunk_ids]
        cosines: Vectors = rows @ (await asyncio.to_thread(self._table.get, keys)).T
        return cosines

    def _by_embedding(self) -> EmbeddingReranker | None:
        """Compares by the vectors that are kept."""
        if self._embedder is None or self._queries is None:
            return None
        return EmbeddingReranker(self._embedder, self._queries.vectors, self._kept_vectors)

    async def _kept_vectors(self, texts: Sequence[str]) -> Vectors:
        """Of indexed texts; those that are not kept are computed. Raises `errors.Unavailable`."""
        if self._table is None or self._embedder is None:
            raise errors.Unavailable("There is no embedder.")
        rows = await asyncio.to_thread(self._table.get, [digest(text) for text in texts])
        unknown = [place for place, row in enumerate(rows) if not row.any()]
        if unknown:
            rows[unknown] = await self._embedder.passages([texts[place] for place in unknown])
        return rows

    def _key(self, chunk_id: str, principal: Principal) -> str:
        chunk = self._partition(principal).by_id.get(chunk_id)
        return chunk.key if chunk and may_see(principal, chunk.groups) else ""

    def _partition(self, principal: Principal) -> Partition:
        return self._partitions.get(principal.tenant) or Partition.empty(principal.tenant)

    async def _add(self, document: NewDocument | Outcome, tenant: str) -> Outcome:
        return document if isinstance(document, Outcome) else await self._writer.add(tenant, document)

    async def _refresh(self, tenant: str, changed: Collection[str] | None) -> None:
        """Show what is stored now: of the changed documents, or, with None, of all."""
        if changed is None or changed:
            self._partitions[tenant] = await finished(self._current, tenant, changed)
            self._generation = await asyncio.to_thread(self._documents.generation)

    def _current(self, tenant: str, changed: Collection[str] | None) -> Partition:
        old = self._partitions.get(tenant)
        if old is None or changed is None:
            vocabulary = Vocabulary()
            chunks = self._documents.indexed(tenant, vocabulary)
        else:
            vocabulary, chunks = old.vocabulary, old.without(changed)
            chunks += [chunk for doc_id in changed for chunk in self._documents.indexed(tenant, vocabulary, doc_id)]
        generation = self._documents.tenants().get(tenant, 0)
        partition = Partition.build(tenant, generation, vocabulary, chunks)
        self._sync(partition)
        return partition

    def _sync(self, partition: Partition) -> None:
        if self._lane is None:
            return
        try:
            self._lane.sync(partition)
        except errors.Unavailable:
            _log.exception("The vector index was not brought up to date; the next search tries again")
