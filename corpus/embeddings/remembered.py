"""Query embeddings, each computed once for as long as it is remembered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from context.retrieval import Embedder, Vectors
from corpus.cache import LRU

_QUERIES = 2_000


class RememberedQueries:
    """Asks the embedder for all new queries in one batch."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: LRU[str, Vectors] = LRU(_QUERIES)

    def counts(self) -> dict[str, int]:
        """Hits, misses and size of the memory."""
        return self._known.counts()

    def remembered(self, texts: Sequence[str]) -> bool:
        """Whether `vectors` has no need to ask for any of these."""
        return all(text in self._known for text in texts)

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimension). Raises `errors.Unavailable`."""
        known = {text: self._known.get(text) for text in texts}
        new = [text for text, vector in known.items() if vector is None]
        if new:
            for text, vector in zip(new, await self._embedder.queries(new), strict=True):
                known[text] = vector
                self._known.put(text, vector)
        rows = [vector for text in texts if (vector := known[text]) is not None]
        return np.stack(rows) if rows else np.zeros((0, self._embedder.dimension), np.float32)
