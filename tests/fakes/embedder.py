"""A deterministic embedder without a model: texts that share tokens are near each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from context.retrieval import Vectors
from text.normalise import clean
from text.tokens import tokens


class HashEmbedder:
    """Every token has a fixed random direction; a text is the sum of its tokens' directions, of length one."""

    def __init__(self, name: str = "hash", dimension: int = 32) -> None:
        self.name = name
        self.dimension = dimension
        self.common: Vectors | None = None
        self.embedded: list[str] = []
        """Every text that was embedded, so that a test can say that none was embedded twice."""

    async def queries(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not all(clean(text).strip() for text in texts):
            raise ValueError("An empty text has no vector.")
        self.embedded += texts
        rows = np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, self.dimension))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def _vector(self, text: str) -> Vectors:
        # A constant direction beside the tokens' keeps a text without tokens away from zero.
        return np.asarray(
            sum((self._direction(token) for token in tokens(text)), 0.1 * self._direction("")), np.float32
        )

    def _direction(self, token: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(f"{self.name}:{token}".encode()).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
