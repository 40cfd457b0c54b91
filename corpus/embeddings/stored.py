"""Vectors of passages, out of the store where it has them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from context.retrieval import Embedder, Vectors
from corpus.documents import digest
from corpus.store.vectors import VectorTable


class StoredPassages:
    """Asks the embedder only for texts that are not indexed."""

    def __init__(self, embedder: Embedder, table: VectorTable) -> None:
        self._embedder = embedder
        self._table = table

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension). Raises `errors.Unavailable`."""
        rows = await asyncio.to_thread(self._table.get, [digest(text) for text in texts])
        unknown = [place for place, row in enumerate(rows) if not row.any()]
        if unknown:
            rows[unknown] = await self._embedder.passages([texts[place] for place in unknown])
        return rows
