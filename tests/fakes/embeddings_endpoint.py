"""The fake `/v1/embeddings`: deterministic vectors, and the ways in which real endpoints differ."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Body = dict[str, Any]


class RefusedError(Exception):
    """The endpoint answers 400 with this sentence."""


@dataclass
class EmbeddingsScript:
    """Switches of the endpoint; a test sets the ones that it is about."""

    dimension: int = 8
    empty: bool = False
    reject_base64: bool = False
    reject_non_strings: bool = True
    max_inputs: int | None = None
    limit_said: str | None = None
    refused_word: str | None = None
    status: int = 200
    delay_s: float = 0.0
    encoding: str | None = None
    """The form of the numbers, whatever was asked for: float or base64; None is as asked."""
    refused_encodings: Collection[str | None] = ()
    odd: dict[str, Any] = field(default_factory=dict)
    """By a word, what stands in the place of the vector of a text that holds it."""
    arranged: Callable[[list[Any]], list[Any]] = list
    """The rows as they are sent: in another order, or not all of them."""
    instead: Body | str | None = None
    """Sent with 200 in the place of everything else."""
    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """Statuses with their headers, one a call, before the endpoint answers."""
    not_a_number: str | None = None
    """A word in a text over which the endpoint fails with 500, as Ollama does."""

    def reply(self, body: Body) -> Body:
        """The body for one request. Raises `RefusedError` where the switches say so."""
        given = body["input"]
        inputs = [given] if isinstance(given, str) else list(given)
        self._check(inputs, body)
        encode = _base64 if (self.encoding or body.get("encoding_format")) == "base64" else _floats
        data = [
            {"object": "embedding", "index": i, "embedding": self._sent(str(text), encode)}
            for i, text in enumerate(inputs)
        ]
        return {
            "object": "list",
            "model": body["model"],
            "data": [] if self.empty else self.arranged(data),
            "usage": {"prompt_tokens": len(inputs), "total_tokens": len(inputs)},
        }

    def vector(self, text: str) -> NDArray[np.float32]:
        """Counts of hashed character pairs, of length one: texts that share words lie near each other."""
        counts = np.zeros(self.dimension, dtype=np.float32)
        for pair in zip(text, text[1:] + " ", strict=True):
            counts[zlib.crc32("".join(pair).encode()) % self.dimension] += 1
        length = float(np.linalg.norm(counts))
        return counts / np.float32(length) if length else counts

    def _sent(self, text: str, encode: Callable[[NDArray[np.float32]], Any]) -> Any:
        word = next((word for word in self.odd if word in text), None)
        return encode(self.vector(text)) if word is None else self.odd[word]

    def _check(self, inputs: list[Any], body: Body) -> None:
        if self.reject_non_strings and not all(isinstance(text, str) for text in inputs):
            raise RefusedError("input must be a string or a list of strings")
        if self.reject_base64 and body.get("encoding_format") == "base64":
            raise RefusedError("encoding_format base64 is not supported")
        if body.get("encoding_format") in self.refused_encodings:
            raise RefusedError(f"encoding_format: {body.get('encoding_format')} is not offered")
        if self.max_inputs is not None and len(inputs) > self.max_inputs:
            raise RefusedError(self.limit_said or f"at most {self.max_inputs} inputs")
        if self.refused_word is not None and any(self.refused_word in str(text) for text in inputs):
            raise RefusedError("an input was blocked")


def _floats(vector: NDArray[np.float32]) -> list[float]:
    return [float(x) for x in vector]


def _base64(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()
