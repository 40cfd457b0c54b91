"""What the offline reasoner asks of the index: how much words tell, and how near texts are to chunks."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence

import numpy as np

import errors
from context.retrieval import Principal, Vectors
from corpus.access import may_see
from corpus.embeddings.remembered import RememberedQueries
from corpus.partition import Partition
from corpus.store.vectors import VectorTable
from text.normalise import clean
from text.tokens import tokens

_log = logging.getLogger(__name__)


class PartitionStatistics:
    """Implements `Statistics` over the partition that `partition` gives for a tenant."""

    def __init__(
        self, partition: Callable[[str], Partition], table: VectorTable | None, queries: RememberedQueries | None
    ) -> None:
        self._partition = partition
        self._table = table
        self._queries = queries

    def tokens(self, text: str) -> list[str]:
        """Tokens as the keyword lane cuts them."""
        return tokens(text)

    def idf(self, token: str, principal: Principal) -> float:
        """ln((N - n + 0.5) / (n + 0.5) + 1) over the chunks of the tenant (Lucene's BM25 idf, never negative)."""
        postings = self._partition(principal.tenant).postings
        with_token = postings.document_frequency(token)
        return math.log((postings.size - with_token + 0.5) / (with_token + 0.5) + 1)

    def document_frequency(self, token: str, principal: Principal) -> int:
        """How many chunks of the tenant have the token."""
        return self._partition(principal.tenant).postings.document_frequency(token)

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
        chunks = await asyncio.to_thread(self._vectors, self._table, chunk_ids, principal)
        cosines: Vectors = rows @ chunks.T
        return cosines

    def _vectors(self, table: VectorTable, chunk_ids: Sequence[str], principal: Principal) -> Vectors:
        partition = self._partition(principal.tenant)
        chunks = [partition.by_id(chunk_id) for chunk_id in chunk_ids]
        return table.get([chunk.key if chunk and may_see(principal, chunk.groups) else "" for chunk in chunks])
