"""Vectors in 8-bit integers: an eighth of the time to read, and near enough to prove which rows can be the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import simsimd
from numpy.typing import NDArray

from context.retrieval import Vectors
from corpus.segments.texts import Places

_LARGEST: Final = 127
_ROUNDING: Final = 1e-5
"""More than float32 loses in what is added up here."""
_TINY: Final = np.float32(1e-30)
_BLOCK: Final = 20_000

Numbers = NDArray[np.float32]


@dataclass(frozen=True)
class Quantised:
    """Each row as its `scales` times whole numbers from -127 to 127; `lengths` is how long that is, and `errors` how
    long the vector is that rounding left out."""

    codes: NDArray[np.int8]
    scales: Numbers
    lengths: Numbers
    errors: Numbers

    @classmethod
    def of(cls, vectors: Vectors) -> Quantised:
        """From rows of any length, shape (rows, dimension)."""
        blocks = [_quantised(vectors[start : start + _BLOCK]) for start in range(0, len(vectors), _BLOCK)]
        return cls(*(np.concatenate(column) for column in zip(*blocks, strict=True)))

    def products(self, query: QuantisedQuery) -> Numbers:
        """The products with a query, about, shape (rows,): each is off by its `slack` at most."""
        products: Numbers = np.asarray(simsimd.cdist(query.codes, self.codes, "dot", out_dtype="float32"))[0]
        products *= self.scales
        products *= query.scale
        return products

    def slack(self, query: QuantisedQuery, rows: Places) -> Numbers:
        """How far off the products of these rows may be, shape (rows,).

        A row is v + r and the query w + s, with v and w of whole numbers. By Cauchy and Schwarz (v + r)(w + s) differs
        from vw by no more than |v||s| + |r||w + s|.
        """
        return self.lengths[rows] * query.error + self.errors[rows] * query.length + np.float32(_ROUNDING)

    def most_slack(self, query: QuantisedQuery) -> float:
        """No row's `slack` is more."""
        length, error = self._largest
        return float(length * query.error + error * query.length) + 2 * _ROUNDING

    @cached_property
    def _largest(self) -> tuple[np.float32, np.float32]:
        return self.lengths.max(initial=np.float32(0)), self.errors.max(initial=np.float32(0))


@dataclass(frozen=True)
class QuantisedQuery:
    """A query in whole numbers, shape (1, dimension), times its `scale`; how long it is, and what rounding left out."""

    codes: NDArray[np.int8]
    scale: np.float32
    length: np.float32
    error: np.float32

    @classmethod
    def of(cls, query: Vectors) -> QuantisedQuery:
        """From shape (dimension,)."""
        codes, scales, _, errors = _quantised(query[np.newaxis])
        return cls(codes, scales[0], np.float32(np.linalg.norm(query)), errors[0])


def _quantised(vectors: Vectors) -> tuple[NDArray[np.int8], Numbers, Numbers, Numbers]:
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), _TINY) / np.float32(_LARGEST)
    codes = np.rint(vectors / scales[:, np.newaxis])
    kept = codes * scales[:, np.newaxis]
    errors, lengths = (np.linalg.norm(rows, axis=1) for rows in (vectors - kept, kept))
    return codes.astype(np.int8), scales.astype(np.float32), lengths.astype(np.float32), errors.astype(np.float32)
