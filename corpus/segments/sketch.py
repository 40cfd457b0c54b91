"""A narrow picture of wide vectors: enough to prove that most of them cannot be among the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context import Vectors

WIDTH: Final = 128
"""Dimensions kept. Measured on vectors with the spectrum of e5's at 100,000 rows: 96 leave seven times as many
candidates, 160 cost more to read than they save (docs/decisions/0011)."""

_SAMPLE: Final = 20_000
_ROUNDING: Final = 1e-5
"""More than float32 loses in a product of 1,536 numbers."""


@dataclass(frozen=True)
class Sketch:
    """Vectors along a `basis`, shape (dimension, width), and the length of what that leaves out of each."""

    basis: Vectors
    heads: Vectors
    rests: NDArray[np.float32]

    @classmethod
    def of(cls, vectors: Vectors) -> Sketch:
        """Along the directions in which the vectors differ most (principal components, without centring)."""
        sample = vectors[:: max(1, len(vectors) // _SAMPLE)].astype(np.float64)
        _, directions = np.linalg.eigh(sample.T @ sample)
        basis = np.ascontiguousarray(directions[:, ::-1][:, :WIDTH], np.float32)
        blocks = [vectors[start : start + _SAMPLE] for start in range(0, len(vectors), _SAMPLE)]
        heads = [block @ basis for block in blocks]
        rests = [_rests(block, head) for block, head in zip(blocks, heads, strict=True)]
        return cls(basis, np.concatenate(heads), np.concatenate(rests))

    def bounds(self, query: Vectors) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The product with every row that is likely, and one that is not exceeded, shape (rows,) each.

        By Cauchy and Schwarz what is left out adds at most the product of both rests.
        """
        head = query @ self.basis
        likely = self.heads @ head
        rest = np.float32(_rests(query[np.newaxis], head[np.newaxis])[0])
        return likely, likely + rest * self.rests + np.float32(_ROUNDING)


def _rests(vectors: Vectors, heads: Vectors) -> NDArray[np.float32]:
    left: NDArray[np.float32] = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", heads, heads)
    return np.sqrt(np.maximum(left, np.float32(0.0)))
