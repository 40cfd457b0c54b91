"""What each chunk says, sentence by sentence, as numbers: so that repeats are told without reading a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.segments.digests import number
from corpus.segments.texts import Interned, Places, Runs
from text.normalise import fold
from text.statements import bare, statements


@dataclass(frozen=True)
class Saying:
    """`Statements` with a number a sentence, and the number of the heading that stands right above the chunk."""

    said: frozenset[int]
    headers: frozenset[int]
    years: frozenset[str]
    section: int

    @classmethod
    def of(cls, text: str, heading: str) -> Saying:
        """What a text under a path of headings says."""
        found = statements(text)
        return cls(
            said=frozenset(map(number, found.said)),
            headers=frozenset(map(number, found.headers)),
            years=found.years,
            section=number(bare(fold(heading.rpartition(" > ")[2]))),
        )


@dataclass(frozen=True)
class Sayings:
    """One `Saying` a row."""

    said: Runs
    headers: Runs
    years: Interned
    sections: NDArray[np.uint64]

    @classmethod
    def of(cls, sayings: Iterable[Saying]) -> Sayings:
        rows = list(sayings)
        return cls(
            said=_numbers([row.said for row in rows]),
            headers=_numbers([row.headers for row in rows]),
            years=Interned.of(" ".join(sorted(row.years)) for row in rows),
            sections=np.array([row.section for row in rows], np.uint64),
        )

    def __getitem__(self, row: int) -> Saying:
        return Saying(
            said=self.said_by(row),
            headers=frozenset(self.headers.at(row).tolist()),
            years=frozenset(self.years[row].split()),
            section=int(self.sections[row]),
        )

    def said_by(self, row: int) -> frozenset[int]:
        """The numbers of a row's sentences."""
        return frozenset(self.said.at(row).tolist())

    def take(self, rows: Places) -> Sayings:
        """These rows only, in this order."""
        return Sayings(self.said.take(rows), self.headers.take(rows), self.years.take(rows), self.sections[rows])

    def then(self, other: Sayings) -> Sayings:
        """These rows, followed by the other ones."""
        return Sayings(
            self.said.then(other.said),
            self.headers.then(other.headers),
            self.years.then(other.years),
            np.concatenate((self.sections, other.sections)),
        )


def _numbers(rows: Sequence[Iterable[int]]) -> Runs:
    """Ascending within a row, so that the same rows give the same file."""
    ordered: list[list[int]] = [sorted(row) for row in rows]
    ends = np.cumsum(np.array([len(row) for row in ordered], np.int64))
    return Runs(np.array([one for row in ordered for one in row], np.uint64), ends)
