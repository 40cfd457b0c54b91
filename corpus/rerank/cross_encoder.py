"""Rerank by a cross-encoder of `sentence-transformers`, which the extra `rerank` installs."""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import Sequence
from typing import Any, Final, Protocol

import errors

NOT_INSTALLED: Final = "The cross-encoder is not installed: install the extra `rerank`, or set another rerank kind."


class Model(Protocol):
    """What is used of `sentence_transformers.CrossEncoder`."""

    def predict(self, pairs: list[tuple[str, str]]) -> Any:
        """One score a pair, as an array."""
        ...


class CrossEncoderReranker:
    """Reads query and passage together, one request at a time and never on the event loop."""

    def __init__(self, name: str, model: Model) -> None:
        self.name = f"cross-encoder:{name}"
        self._model = model
        self._lock = threading.Lock()

    @classmethod
    def load(cls, name: str) -> CrossEncoderReranker:
        """Load the model by its name or folder. Raises `errors.Unavailable` where that is impossible."""
        try:
            package = importlib.import_module("sentence_transformers")
        except ImportError as error:
            raise errors.Unavailable(NOT_INSTALLED) from error
        try:
            return cls(name, package.CrossEncoder(name))
        except (OSError, ValueError, RuntimeError) as error:
            raise errors.Unavailable("The cross-encoder's model could not be loaded.") from error

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One score a passage."""
        return await asyncio.to_thread(self._predict, query, list(passages)) if passages else []

    def _predict(self, query: str, passages: list[str]) -> list[float]:
        # A request that was given up goes on in its thread: another one waits for it and not beside it.
        with self._lock:
            return [float(score) for score in self._model.predict([(query, passage) for passage in passages])]
