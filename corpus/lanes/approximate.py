"""An index of vectors that finds most of the nearest without looking at all: what stands behind the vector lane when
a partition is too large to be searched exactly in good time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from context.retrieval import Vectors
from corpus.segments.inverted import term
from corpus.segments.segment import Segment
from corpus.segments.texts import Places


class Approximate(Protocol):
    """Collections of vectors by key, one a tenant. Its methods raise `errors.Unavailable`."""

    def sync(self, tenant: str, stamp: int, keys: set[str], load: Callable[[Sequence[str]], Vectors]) -> None:
        """Make the tenant's collection hold exactly these keys, unless it was left with this stamp.

        `load` gives the vectors of those that it lacks, shape (keys, dimension).
        """
        ...

    def nearest(self, tenant: str, query: Vectors, count: int) -> list[str]:
        """Keys of near vectors, about the nearest `count`; `query` has shape (dimension,)."""
        ...

    def drop(self, tenant: str) -> None:
        """Forget the tenant's collection, if there is one."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Keyed:
    """The rows of a segment by key. Chunks of the same indexed text share one."""

    segment: Segment
    numbers: NDArray[np.uint64]
    order: Places

    @classmethod
    def of(cls, segment: Segment) -> Keyed:
        numbers = np.fromiter(map(term, segment.records.keys), np.uint64, len(segment))
        order = np.argsort(numbers, kind="stable")
        return cls(segment, numbers[order], order)

    def rows(self, keys: Sequence[str]) -> Places:
        """All rows that have one of these keys, ascending."""
        wanted = np.unique(np.fromiter(map(term, keys), np.uint64, len(keys)))
        low = np.searchsorted(self.numbers, wanted, side="left")
        high = np.searchsorted(self.numbers, wanted, side="right")
        return np.sort(np.concatenate([self.order[a:b] for a, b in zip(low, high, strict=True)] or [self.order[:0]]))

    def vectors(self, keys: Sequence[str]) -> Vectors:
        """Shape (keys, dimension); every key is one of the segment's."""
        wanted = np.fromiter(map(term, keys), np.uint64, len(keys))
        return self.segment.rows_of_vectors(self.order[np.searchsorted(self.numbers, wanted)])
