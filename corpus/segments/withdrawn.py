"""Rows of a segment that no longer count, until the next merge leaves them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.segments.inverted import Inverted
from corpus.segments.texts import Places


@dataclass(frozen=True)
class Withdrawn:
    """`alive` says of every row whether it counts; `frequencies` how many rows of each term do not."""

    alive: NDArray[np.bool_]
    frequencies: NDArray[np.int64] | None
    count: int

    @classmethod
    def none(cls, rows: int) -> Withdrawn:
        return cls(np.ones(rows, np.bool_), None, 0)

    def __len__(self) -> int:
        return self.count

    def and_also(self, inverted: Inverted, rows: Places) -> Withdrawn:
        """These rows of the segment with this index too."""
        rows = rows[self.alive[rows]]
        if not len(rows):
            return self
        alive = self.alive.copy()
        alive[rows] = False
        frequencies = np.bincount(inverted.terms_of(rows), minlength=len(inverted.terms))
        before = 0 if self.frequencies is None else self.frequencies
        return Withdrawn(alive, frequencies + before, self.count + len(rows))
