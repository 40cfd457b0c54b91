"""The one door of the corpus: search and read, add and delete, each cut to what the principal may see."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

import errors
from context import Embedder, Passage, Principal, SearchRequest, SearchResult, Vectors
from corpus import narrowing
from corpus.access import may_change, may_see
from corpus.correction import Correction
from corpus.derived import Derived
from corpus.documents import DocumentInfo, NewDocument, Outcome, digest
from corpus.embeddings.remembered import RememberedQueries
from corpus.fields import KnownFields, Scalar
from corpus.fuser import EQUAL, Fusing
from corpus.kept import DEFAULTS, Kept
from corpus.lanes.match import RankedList
from corpus.neighbours import merged
from corpus.partition import Partition
from corpus.places import STORE
from corpus.rerank.embedding import EmbeddingReranker
from corpus.reranking import NO_RERANK, Rerank, Reranking
from corpus.searcher import Searcher, ends_at
from corpus.store import leftovers
from corpus.store.catalogue import Catalogue, Counts
from corpus.store.database import Database
from corpus.store.documents import Documents
from corpus.store.faults import translated
from corpus.store.fingerprints import Fingerprints, claim
from corpus.store.vectors import VectorTable
from corpus.writer import Embedded, Writer, batches, finished
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
        folder: Path,
        database: Database,
        embedder: Embedder | None,
        fusing: Fusing,
        rerank: Rerank,
        kept: Kept,
    ) -> None:
        self._database = database
        self._documents = Documents(database, kept.versions)
        self.catalogue = Catalogue(database)
        self._embedder = embedder
        self._table = VectorTable(database, embedder) if embedder else None
        self._queries = RememberedQueries(embedder) if embedder else None
        self._fields = KnownFields(self._documents.visible)
        self._reranking = Reranking(rerank, self._by_embedding(), self._documents.passages)
        self._writer = Writer(self._documents, embedder, self._table, kept)
        self._writing = asyncio.Lock()
        self._derived = Derived(folder, database, embedder, self._table, self._writing)
        self._searcher = Searcher(fusing, self._derived.lane, self._queries, self._documents.passages)
        self._generation = self._documents.generation()

    @classmethod
    async def open(
        cls,
        folder: Path,
        embedder: Embedder | None,
        fusing: Fusing = EQUAL,
        rerank: Rerank = NO_RERANK,
        kept: Kept = DEFAULTS,
    ) -> Index:
        """Open or create the index in this folder; without an embedder the vector lane is off.

        Raises `errors.Conflict` when the store is a newer release's, or was built with another embedder, tokenizer or
        chunker, and `errors.Unavailable` when vectors are missing and cannot be computed.
        """
        index = await asyncio.to_thread(cls._connect, folder, embedder, fusing, rerank, kept)
        try:
            await index._complete()
        except BaseException:
            await index.close()
            raise
        return index

    @classmethod
    def _connect(cls, folder: Path, embedder: Embedder | None, fusing: Fusing, rerank: Rerank, kept: Kept) -> Index:
        folder.mkdir(parents=True, exist_ok=True)
        database = Database.open(folder / STORE)
        try:
            claim(database, Fingerprints.of(embedder, kept.sizes))
            leftovers.drop_expired(database, time.time())
            return cls(folder, database, embedder, fusing, rerank, kept)
        except BaseException:
            database.close()
            raise

    async def _complete(self) -> None:
        """Bring what is derived up to what is stored."""
        await asyncio.to_thread(tokens, "词")  # so that no first search waits for the dictionary
        if await self._derived.open():
            return
        if self._table is not None:
            await self._writer.embed(await asyncio.to_thread(self._table.keys_without))
        await self._derived.complete()

    async def close(self) -> None:
        """Close files; a write under way is finished first."""
        async with self._writing:
            await self._derived.close()
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
        embedded: Embedded = lambda doc_id, done, total: None,
    ) -> list[Outcome]:
        """Index documents into the principal's tenant, one after another; all are found once this returns.

        An outcome among them, as `read_folder` gives for a file that it cannot read, is passed on. `embedded` is told
        of progress inside a document.
        """
        outcomes: list[Outcome] = []
        under_way: Sequence[NewDocument | Outcome] = ()
        async with self._writing:
            with translated():
                try:
                    for under_way in batches(documents):
                        for outcome in await self._writer.add(under_way, principal, embedded):
                            outcomes.append(outcome)
                            progress(len(outcomes), len(documents), outcome)
                        under_way = ()
                finally:
                    changed = {outcome.doc_id for outcome in outcomes if outcome.result in _CHANGES}
                    await self._refresh(principal.tenant, changed | {given.doc_id for given in under_way})
        return outcomes

    async def delete(self, doc_id: str, principal: Principal) -> bool:
        """Remove a document of the principal's tenant with all its versions; False when there is none to see."""
        async with self._writing:
            present = await asyncio.to_thread(self._documents.current, principal.tenant, doc_id)
            if present is None or not may_change(principal, present.groups):
                return False
            with translated():
                try:
                    await finished(self._documents.delete, principal.tenant, doc_id)
                finally:  # cancelled or not, what is gone from the store is not to be served
                    await self._refresh(principal.tenant, {doc_id})
        return True

    async def correct(self, doc_id: str, principal: Principal, correction: Correction) -> None:
        """Set metadata and access by hand; filters see it once this returns, and nothing is embedded anew.

        Raises `errors.NotFound`, `errors.Forbidden` for groups of others, and `errors.BadRequest`.
        """
        async with self._writing:
            with translated():
                try:
                    await finished(self._documents.correct, principal, doc_id, correction)
                finally:
                    await self._refresh(principal.tenant, {doc_id})

    async def counts(self, principal: Principal) -> Counts:
        """Documents and chunks that the principal may see, counted without reading any."""
        documents = await asyncio.to_thread(self.catalogue.total, principal)
        return Counts(documents, await self.count(principal, None))

    async def documents(self, principal: Principal) -> list[DocumentInfo]:
        """Documents that the principal may see, by doc_id."""
        return await asyncio.to_thread(self._documents.visible, principal)

    async def search(self, request: SearchRequest) -> SearchResult:
        """A lane or reranker that fails is told in `lanes`, not raised. Raises `errors.BadRequest` on a bad filter."""
        partition = self._partition(request.principal)
        wanted = self._reranking.widened(request)
        search = partial(self._searcher.search, partition, ends_at=ends_at(request.timeout_s))
        found = await narrowing.search(wanted, search)
        found = await self._reranking.reordered(found, request)
        return replace(found, docs=merged(found.docs, partition.by_id)) if request.merge else found

    async def candidates(self, request: SearchRequest) -> tuple[list[RankedList], dict[int, Passage]]:
        """What the lanes found before fusion, and the passages of its places: for measuring ways to fuse."""
        partition = self._partition(request.principal)
        lists = await self._searcher.lists(partition, request)
        places = sorted({match.place for ranked in lists for match in ranked.matches})
        passages = await self.read([partition.chunks[place].chunk_id for place in places], request.principal)
        return lists, dict(zip(places, passages.values(), strict=True))

    def cache_counts(self) -> dict[str, dict[str, int]]:
        """By cache (queries, results, masks) how many hits and misses it had, and its size."""
        queries = {"queries": self._queries.counts()} if self._queries else {}
        return {**queries, **self._searcher.cache_counts()}

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
        return partition.size if mask is None else int(mask.sum())

    async def fields(self, principal: Principal) -> Mapping[str, Collection[Scalar]]:
        """Values of the metadata fields that sort the documents which the principal may see."""
        return await self._fields.of(principal, self._partition(principal).generation)

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
        self, texts: Sequence[str], chunk_ids: Sequence[str], principal: Principal, timeout_s: float | None = None
    ) -> Vectors | None:
        """Cosines, shape (texts, chunks); 0 for a blank text and for a chunk that is not current or not allowed.

        None when the vector lane is off, and when the embedder fails or does not answer in time.
        """
        if self._table is None or self._queries is None:
            return None
        asked = [place for place, text in enumerate(texts) if clean(text).strip()]
        rows = np.zeros((len(texts), self._table.dimension), np.float32)
        try:
            if asked:
                async with asyncio.timeout(timeout_s):
                    rows[asked] = await self._queries.vectors([texts[place] for place in asked])
        except (errors.Unavailable, TimeoutError):
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
        chunk = self._partition(principal).by_id(chunk_id)
        return chunk.key if chunk and may_see(principal, chunk.groups) else ""

    def _partition(self, principal: Principal) -> Partition:
        return self._derived.get(principal.tenant)

    async def _refresh(self, tenant: str, changed: Collection[str]) -> None:
        """Show what is stored now of the changed documents."""
        if changed:
            try:
                await self._derived.refresh(tenant, changed)
            finally:
                self._generation = self._documents.generation()
