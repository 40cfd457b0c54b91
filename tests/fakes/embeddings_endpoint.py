"""The fake `/v1/embeddings`: deterministic vectors, and the ways in which real endpoints differ."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
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

    def reply(self, body: Body) -> Body:
        """The body for one request. Raises `RefusedError` where the switches say so."""
        given = body["input"]
        inputs = [given] if isinstance(given, str) else list(given)
        self._check(inputs, body)
        encode = _base64 if body.get("encoding_format") == "base64" else _floats
        data = [
            {"object": "embedding", "index": i, "embedding": encode(self.vector(str(text)))}
            for i, text in enumerate(inputs)
        ]
        return {
            "object": "list",
            "model": body["model"],
            "data": [] if self.empty else data,
            "usage": {"prompt_tokens": len(inputs), "total_tokens": len(inputs)},
        }

    def vector(self, text: str) -> NDArray[np.float32]:
        """Counts of hashed character pairs, of length one: texts that share words lie near each other."""
        counts = np.zeros(self.dimension, dtype=np.float32)
        for pair in zip(text, text[1:] + " ", strict=True):
            counts[zlib.crc32("".join(pair).encode()) % self.dimension] += 1
        length = float(np.linalg.norm(counts))
        return counts / np.float32(length) if length else counts

    def _check(self, inputs: list[Any], body: Body) -> None:
        if self.reject_non_strings and not all(isinstance(text, str) for text in inputs):
            raise RefusedError("input must be a string or a list of strings")
        if self.reject_base64 and body.get("encoding_format") == "base64":
            raise RefusedError("encoding_format base64 is not supported")
        if self.max_inputs is not None and len(inputs) > self.max_inputs:
            raise RefusedError(self.limit_said or f"at most {self.max_inputs} inputs")
        if self.refused_word is not None and any(self.refused_word in str(text) for text in inputs):
            raise RefusedError("an input was blocked")


def _floats(vector: NDArray[np.float32]) -> list[float]:
    return [float(x) for x in vector]


def _base64(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()
