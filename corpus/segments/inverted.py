"""An inverted index of one segment: which rows have a term, and how often."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from corpus.segments.digests import number
from corpus.segments.texts import Integers, Places

Terms = NDArray[np.uint64]
Frequencies = NDArray[np.unsignedinteger[Any]]
Starts = NDArray[np.int64]

_REMEMBERED: Final = 100_000

N = TypeVar("N", bound=np.generic)


@lru_cache(maxsize=_REMEMBERED)
def term(token: str) -> int:
    """A token's number."""
    return number(token)


@dataclass(frozen=True)
class Inverted:
    """Rows and frequencies by term, rows ascending within one; `starts` has one more entry than `terms`.

    Frequencies are 16 bits wide while they fit, which they do in all but a chunk of a megabyte.
    """

    terms: Terms
    starts: Starts
    rows: Integers
    frequencies: Frequencies
    lengths: Integers

    @classmethod
    def of(cls, counts: Iterable[Mapping[str, int]]) -> Inverted:
        """From the tokens of each row and how often each occurs there."""
        columns: dict[str, int] = {}
        column_of, frequencies, widths, lengths = array("i"), array("I"), array("i"), array("i")
        for of_row in counts:
            column_of.extend([columns.setdefault(token, len(columns)) for token in of_row])
            frequencies.extend(of_row.values())
            widths.append(len(of_row))
            lengths.append(sum(of_row.values()))
        terms = np.array([term(token) for token in columns], np.uint64)
        rows = np.repeat(np.arange(len(widths), dtype=np.int32), np.array(widths, np.int32))
        return _sorted(
            terms,
            np.array(column_of, np.int32),
            rows,
            _narrow(np.array(frequencies, np.uint32)),
            np.array(lengths, np.int32),
        )

    @property
    def document_frequencies(self) -> NDArray[np.int64]:
        """How many rows have each term, shape (terms,)."""
        return np.diff(self.starts)

    def find(self, numbers: Terms) -> Places:
        """The columns of terms, -1 for one that no row has."""
        if not len(self.terms):
            return np.full(len(numbers), -1, np.intp)
        columns = np.minimum(self.terms.searchsorted(numbers), len(self.terms) - 1)
        return np.where(self.terms[columns] == numbers, columns, -1)

    def entries(self, column: int) -> slice:
        """Where the rows and frequencies of a term lie."""
        return slice(int(self.starts[column]), int(self.starts[column + 1]))

    def terms_of(self, rows: Places) -> NDArray[np.intp]:
        """The column of every entry that these rows have, one a row and term."""
        wanted = np.zeros(len(self.lengths), np.bool_)
        wanted[rows] = True
        entries = np.flatnonzero(wanted[self.rows])
        return np.searchsorted(self.starts, entries, side="right") - 1

    def take(self, rows: Places) -> Inverted:
        """These rows only, ascending, and only the terms that they have."""
        new = np.full(len(self.lengths), -1, np.int32)
        new[rows] = np.arange(len(rows), dtype=np.int32)
        moved = new[self.rows]
        kept = moved >= 0
        before = np.concatenate(([0], np.cumsum(kept)))[self.starts]
        present = np.diff(before) > 0
        starts = np.concatenate((before[:-1][present], before[-1:])).astype(np.int64)
        return Inverted(self.terms[present], starts, moved[kept], self.frequencies[kept], self.lengths[rows])

    def merged(self, own: Integers, other: Inverted, others: Integers) -> Inverted:
        """Both together; `own` and `others` give each row its new place, ascending."""
        terms = np.union1d(self.terms, other.terms)
        first, second = _keys(self, own, terms), _keys(other, others, terms)
        put = np.zeros(len(first) + len(second), np.bool_)
        put[np.searchsorted(first, second) + np.arange(len(second))] = True
        keys = _placed(put, first, second)
        starts = np.searchsorted(keys, np.arange(len(terms) + 1, dtype=np.int64) << 32)
        lengths = np.empty(len(own) + len(others), np.int32)
        lengths[own], lengths[others] = self.lengths, other.lengths
        frequencies = _placed(put, self.frequencies, other.frequencies)
        return Inverted(terms, starts.astype(np.int64), (keys & 0xFFFFFFFF).astype(np.int32), frequencies, lengths)


def _narrow(frequencies: NDArray[np.uint32]) -> Frequencies:
    return frequencies.astype(np.uint16) if frequencies.max(initial=0) < 2**16 else frequencies


def _sorted(terms: Terms, columns: Integers, rows: Integers, frequencies: Frequencies, lengths: Integers) -> Inverted:
    """Terms in the order of their numbers, entries in the order of their terms."""
    order = np.argsort(terms)
    rank = np.empty(len(terms), np.int32)
    rank[order] = np.arange(len(terms), dtype=np.int32)
    columns = rank[columns]
    entries = np.argsort(columns, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=len(terms))))).astype(np.int64)
    return Inverted(terms[order], starts, rows[entries], frequencies[entries], lengths)


def _keys(inverted: Inverted, places: Integers, terms: Terms) -> NDArray[np.int64]:
    """Term and new row of every entry in one number that sorts by both."""
    columns = np.searchsorted(terms, inverted.terms).astype(np.int64) << 32
    return np.repeat(columns, inverted.document_frequencies) | places[inverted.rows]


def _placed(put: NDArray[np.bool_], first: NDArray[N], second: NDArray[N]) -> NDArray[N]:
    """One array of both: the second one's entries where `put` says so."""
    whole = np.empty(len(put), np.promote_types(first.dtype, second.dtype))
    whole[put], whole[~put] = second, first
    return whole
