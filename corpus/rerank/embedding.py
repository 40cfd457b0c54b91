"""Rerank by the exact cosine of query and passage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from context.retrieval import Embedder, Vectors
from corpus.embeddings.common import without

Embed = Callable[[Sequence[str]], Awaitable[Vectors]]
"""Texts to vectors, shape (texts, dimension); where they are kept they are not computed anew."""


class EmbeddingReranker:
    """Compares as the vector lane does, without what all of the model's vectors have in common."""

    name = "embedding"

    def __init__(self, embedder: Embedder, queries: Embed | None = None, passages: Embed | None = None) -> None:
        self._common = embedder.common
        self._queries = queries or embedder.queries
        self._passages = passages or embedder.passages

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One cosine a passage. Raises `errors.Unavailable` when the embedder fails."""
        if not passages:
            return []
        asked = without(await self._queries([query]), self._common)
        found = without(await self._passages(passages), self._common)
        return [float(cosine) for cosine in found @ asked[0]]
