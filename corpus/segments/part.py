"""A segment as a part of a partition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corpus.segments.segment import Segment
from corpus.segments.texts import Integers, Places
from corpus.segments.withdrawn import Withdrawn


@dataclass(frozen=True)
class Placing:
    """Where the rows of a segment stand among the `size` chunks of a partition.

    A withdrawn row has the place after the last one: arrays with one entry more than chunks take what goes there.
    `places` is None when every row's place is the row itself.
    """

    places: Integers | None
    size: int

    def of(self, rows: Integers) -> Integers:
        """The places of these rows."""
        return rows if self.places is None else self.places[rows]

    def at(self, places: Places) -> Integers:
        """The rows at these places, -1 where another segment's is."""
        return places.astype(np.int32) if self._rows is None else self._rows[places]

    def row(self, place: int) -> int:
        """The row at one place, -1 where another segment's is."""
        return place if self._rows is None else int(self._rows[place])

    def spread(self, of_rows: np.ndarray, whole: np.ndarray) -> None:
        """Put what belongs to the rows at their places of an array of `size` + 1."""
        if self.places is None:
            whole[: len(of_rows)] = of_rows
        else:
            whole[self.places] = of_rows

    @cached_property
    def _rows(self) -> Integers | None:
        if self.places is None:
            return None
        rows = np.full(self.size + 1, -1, np.int32)
        rows[self.places] = np.arange(len(self.places), dtype=np.int32)
        return rows


@dataclass(frozen=True)
class Part:
    """A segment, where its rows stand, and which of them count."""

    segment: Segment
    placing: Placing
    withdrawn: Withdrawn
