"""Term frequencies of a partition, and what BM25 makes of them with the statistics of now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from corpus.lanes.okapi import Okapi
from corpus.segments.inverted import Inverted, Terms, term
from corpus.segments.part import Placing
from corpus.segments.texts import Integers, Places
from corpus.segments.withdrawn import Withdrawn

Frequencies = NDArray[np.int64]


@dataclass(frozen=True)
class Listed:
    """One segment's postings."""

    inverted: Inverted
    placing: Placing
    withdrawn: Withdrawn

    def live(self, column: int) -> int:
        """How many rows that count have a term."""
        entries = self.inverted.entries(column)
        gone = 0 if self.withdrawn.frequencies is None else int(self.withdrawn.frequencies[column])
        return int(entries.stop - entries.start - gone)

    def document_frequencies(self) -> Frequencies:
        """The same for every term, shape (terms,)."""
        gone = 0 if self.withdrawn.frequencies is None else self.withdrawn.frequencies
        return self.inverted.document_frequencies - gone

    def tokens(self) -> int:
        """How many tokens all rows that count have together."""
        return int(self.inverted.lengths[self.withdrawn.alive].sum())


@dataclass(frozen=True)
class Column:
    """A token's idf, and segment by segment the places of the chunks that have it with what each gains from it."""

    idf: float
    pieces: Sequence[tuple[Integers, NDArray[np.float64]]]


class Postings:
    """Frequencies and lengths only: every score uses the document frequencies of now, so none is ever stale."""

    def __init__(self, parts: Sequence[Listed], size: int) -> None:
        self._parts = parts
        self.size = size

    @classmethod
    def of(cls, counts: Iterable[Mapping[str, int]]) -> Postings:
        """Of chunks given by their tokens and how often each occurs; the place of a chunk is its position."""
        inverted = Inverted.of(counts)
        size = len(inverted.lengths)
        return cls([Listed(inverted, Placing(None, size), Withdrawn.none(size))], size)

    @cached_property
    def okapi(self) -> Okapi:
        """The statistics of now."""
        return Okapi.of(self.size, sum(part.tokens() for part in self._parts), _present(self._parts))

    def document_frequency(self, token: str) -> int:
        """How many chunks have the token."""
        return sum(part.live(column) for part, column in self._columns(token))

    def column(self, token: str) -> Column | None:
        """None when no chunk has the token. A withdrawn chunk may be in it, at the place after the last."""
        columns = self._columns(token)
        live = sum(part.live(column) for part, column in columns)
        if not live:
            return None
        return Column(self.okapi.idf(live), [self._piece(part, column) for part, column in columns])

    def gains(self, token: str, places: Places) -> NDArray[np.float64]:
        """What the chunks at these places gain from the token, times its idf: 0 for those that do not have it."""
        gains = np.zeros(len(places))
        columns = self._columns(token)
        live = sum(part.live(column) for part, column in columns)
        for part, column in columns if live else ():
            self._add_gains(gains, part, column, places)
        return gains * self.okapi.idf(live) if live else gains

    def _columns(self, token: str) -> list[tuple[Listed, int]]:
        number = term(token)
        return [(part, column) for part in self._parts if (column := part.inverted.find(number)) is not None]

    def _piece(self, part: Listed, column: int) -> tuple[Integers, NDArray[np.float64]]:
        entries = part.inverted.entries(column)
        rows = part.inverted.rows[entries]
        gain = self.okapi.gain(part.inverted.frequencies[entries], part.inverted.lengths[rows])
        return part.placing.of(rows), gain

    def _add_gains(self, gains: NDArray[np.float64], part: Listed, column: int, places: Places) -> None:
        entries, wanted = part.inverted.entries(column), part.placing.at(places)
        rows = part.inverted.rows[entries]
        found = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
        has = np.flatnonzero(rows[found] == wanted)
        frequencies = part.inverted.frequencies[entries][found[has]]
        gains[has] = self.okapi.gain(frequencies, part.inverted.lengths[wanted[has]])


def _present(parts: Sequence[Listed]) -> Frequencies:
    """The document frequency of every term that some chunk has."""
    terms, frequencies = parts[0].inverted.terms, parts[0].document_frequencies()
    for part in parts[1:]:
        terms, frequencies = _summed(terms, frequencies, part.inverted.terms, part.document_frequencies())
    return frequencies[frequencies > 0]


def _summed(terms: Terms, frequencies: Frequencies, more: Terms, theirs: Frequencies) -> tuple[Terms, Frequencies]:
    """Per term of either the sum; sorted like `terms` only where it matters not, so the new ones come last."""
    places = np.minimum(np.searchsorted(terms, more), max(len(terms) - 1, 0))
    known = terms[places] == more if len(terms) else np.zeros(len(more), np.bool_)
    frequencies = frequencies.copy()
    frequencies[places[known]] += theirs[known]
    return np.concatenate((terms, more[~known])), np.concatenate((frequencies, theirs[~known]))
