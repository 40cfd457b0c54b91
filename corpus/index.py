"""The one door of the corpus: search and read, add and delete, each cut to what the principal may see."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from context.retrieval import Embedder, Passage, Piece, Principal, SearchRequest, SearchResult
from corpus import narrowing
from corpus.catching_up import CatchingUp, drop_outdated
from corpus.changes import Changes, Progress
from corpus.correction import Correction
from corpus.derived import Derived
from corpus.documents import NewDocument, Outcome
from corpus.embeddings.remembered import RememberedQueries
from corpus.embeddings.stored import StoredPassages
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
from corpus.statistics import PartitionStatistics
from corpus.store import leftovers
from corpus.store.catalogue import Catalogue, Counts
from corpus.store.database import Database
from corpus.store.documents import Documents
from corpus.store.fingerprints import Fingerprints, claim, embedder_fingerprint
from corpus.store.missing import Missing
from corpus.store.vectors import VectorTable
from corpus.threads import FEW, SMALL, Turns, finished
from corpus.writer import Embedded, Writer
from text.tokens import tokens


class Index:
    """Implements `Retriever`; `statistics` and `catalogue` are further ways to look at the same documents.

    Made by `open`, ended by `close`; one process at a time.
    """

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
        table = VectorTable(database, embedder) if embedder else None
        self._queries = queries = RememberedQueries(embedder) if embedder else None
        self._fields = KnownFields(self._documents.visible)
        by_embedding = None
        if embedder and table and queries:
            by_embedding = EmbeddingReranker(embedder, queries.vectors, StoredPassages(embedder, table).vectors)
        self._reranking = Reranking(rerank, by_embedding, self._documents.passages)
        writer = Writer(self._documents, embedder, table, kept)
        self._writing = asyncio.Lock()
        self._derived = Derived(folder, database, embedder, table, self._writing)
        self._changes = Changes(self._documents, writer, self._derived, self._writing)
        self._catching_up = None
        if embedder:
            missing = Missing(database, embedder_fingerprint(embedder))
            self._catching_up = CatchingUp(writer, missing, self._derived, self._writing)
        self.statistics = PartitionStatistics(self._derived.get, table, queries)
        self._turns = Turns()
        self._searcher = Searcher(fusing, self._derived.lane, queries, self._turns)

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

        Vectors that are missing and cannot be computed are made later; `degraded` says so. Raises `errors.Conflict`
        when the store is a newer release's, damaged, or was built with another embedder, tokenizer or chunker.
        """
        index = await asyncio.to_thread(cls._connect, folder, embedder, fusing, rerank, kept)
        try:
            await asyncio.to_thread(tokens, "词")  # so that no first search waits for the dictionary
            if not await index._derived.open():
                await (index._catching_up.start() if index._catching_up else index._derived.complete())
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
            if embedder:
                drop_outdated(folder, Missing(database, embedder_fingerprint(embedder)))
            leftovers.drop_expired(database, time.time())
            return cls(folder, database, embedder, fusing, rerank, kept)
        except BaseException:
            database.close()
            raise

    async def close(self) -> None:
        """Close files; a write under way is finished first."""
        if self._catching_up:
            await self._catching_up.stop()
        async with self._writing:
            try:
                await self._derived.close()
            finally:
                await finished(self._database.close)

    @property
    def generation(self) -> int:
        """Rises with every change of any tenant."""
        return self._derived.generation

    def generation_of(self, principal: Principal) -> int:
        """Rises with every change of the principal's tenant, and with no other."""
        return self._partition(principal).generation

    @property
    def waiting(self) -> int:
        """Changes that wait until those before them are done."""
        return self._changes.waiting

    @property
    def embedder_name(self) -> str | None:
        return self._embedder.name if self._embedder else None

    @property
    def degraded(self) -> list[str]:
        """Sentences about what does not work at present."""
        failing: str | None = getattr(self._embedder, "failing", None)
        return [sentence for sentence in (failing, self._catching_up and self._catching_up.sentence) if sentence]

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
        return await self._changes.add(documents, principal, progress, embedded)

    async def delete(self, doc_id: str, principal: Principal) -> bool:
        """Remove a document of the principal's tenant with all its versions; False when there is none to see."""
        return await self._changes.delete(doc_id, principal)

    async def correct(self, doc_id: str, principal: Principal, correction: Correction) -> None:
        """Set metadata and access by hand; filters see it once this returns, and nothing is embedded anew.

        Raises `errors.NotFound`, `errors.Forbidden` for groups of others, and `errors.BadRequest`.
        """
        await self._changes.correct(doc_id, principal, correction)

    async def counts(self, principal: Principal) -> Counts:
        """Documents and chunks that the principal may see, counted without reading any."""
        documents = await asyncio.to_thread(self.catalogue.total, principal)
        return Counts(documents, await self.count(principal, None))

    async def size(self) -> Counts:
        """Documents and chunks of all tenants together: a number that names none of them."""
        return await asyncio.to_thread(self.catalogue.size)

    async def search(self, request: SearchRequest) -> SearchResult:
        """A lane or reranker that fails is told in `lanes`, not raised. Raises `errors.BadRequest` on a bad filter."""
        partition = self._partition(request.principal)
        wanted = self._reranking.widened(request)
        search = partial(self._searcher.search, partition, ends_at=ends_at(request.timeout_s))
        found = await narrowing.search(wanted, search, partition.without_repeats)
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
        short = len(chunk_ids) <= FEW and self._partition(principal).size <= SMALL and self._database.is_idle
        found = await self._turns.call(partial(self._documents.passages, list(chunk_ids), principal), short=short)
        return {chunk_id: found[chunk_id] for chunk_id in chunk_ids if chunk_id in found}

    async def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        """Characters [start, end) of a version's text; None when it is deleted or not allowed."""
        return await asyncio.to_thread(self._documents.span, doc_id, version, span, principal)

    async def pieces(self, doc_id: str, principal: Principal, filters: Mapping[str, Any] | None) -> Sequence[Piece]:
        """The current chunks of a document that a search with this filter could give the principal, in their order.

        Raises `errors.BadRequest` on a bad filter.
        """
        partition = self._partition(principal)
        mask = await self._searcher.mask(partition, principal, filters)
        found = await asyncio.to_thread(self._documents.pieces, principal.tenant, doc_id)
        places = [(piece, partition.place(piece.chunk_id)) for piece in found]
        return [piece for piece, place in places if place is not None and (mask is None or mask[place])]

    async def count(self, principal: Principal, filters: Mapping[str, Any] | None) -> int:
        """Chunks visible to the principal that pass the filter. Raises `errors.BadRequest` on a bad one."""
        partition = self._partition(principal)
        mask = await self._searcher.mask(partition, principal, filters)
        return partition.size if mask is None else int(mask.sum())

    async def fields(self, principal: Principal) -> Mapping[str, Collection[Scalar]]:
        """Values of the metadata fields that sort the documents which the principal may see."""
        return await self._fields.of(principal, self.generation_of(principal))

    def _partition(self, principal: Principal) -> Partition:
        return self._derived.get(principal.tenant)
