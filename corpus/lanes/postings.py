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

    def live(self, columns: Places) -> Frequencies:
        """How many rows that count have each term; a term of column -1 is not there."""
        starts = self.inverted.starts
        found = starts[columns + 1] - starts[columns]
        if self.withdrawn.frequencies is not None and len(found):
            found -= self.withdrawn.frequencies[columns]
        return np.where(columns < 0, 0, found)

    def document_frequencies(self) -> Frequencies:
        """The same for every term, shape (terms,)."""
        gone = 0 if self.withdrawn.frequencies is None else self.withdrawn.frequencies
        return self.inverted.document_frequencies - gone

    def tokens(self) -> int:
        """How many tokens all rows that count have together."""
        return int(self.inverted.lengths[self.withdrawn.alive].sum())


@dataclass(frozen=True)
class Held:
    """A token that some chunk has: its idf, and its column by segment, -1 in one that does not have it."""

    token: str
    idf: float
    columns: Sequence[int]


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
        return sum(int(live[0]) for _, live in self._found([token]))

    def held(self, tokens: Sequence[str]) -> list[Held]:
        """Those of these tokens that some chunk has, in this order."""
        found = self._found(tokens)
        live = map(sum, zip(*(of_part.tolist() for _, of_part in found), strict=True))
        columns = zip(*(of_part.tolist() for of_part, _ in found), strict=True)
        return [Held(token, self.okapi.idf(n), of) for token, n, of in zip(tokens, live, columns, strict=True) if n]

    def scores(self, query: Sequence[tuple[Held, int]]) -> NDArray[np.float64]:
        """What every chunk gains from these tokens, each as often as said, by place, shape (size,)."""
        # One entry more than there are chunks: withdrawn rows gain there, and it is cut off.
        total = np.zeros(self.size + 1)
        for number, part in enumerate(self._parts):
            own = [(held.columns[number], n * held.idf) for held, n in query if held.columns[number] >= 0]
            if own:
                places, gains = self._gained(part, own)
                total += np.bincount(places, gains, self.size + 1)
        return total[: self.size]

    def counts(self, query: Sequence[Held]) -> NDArray[np.int64]:
        """How many of these tokens every chunk has, by place, shape (size,)."""
        total = np.zeros(self.size + 1, np.int64)
        for number, part in enumerate(self._parts):
            for held in query:
                if (column := held.columns[number]) >= 0:
                    total[part.placing.of(part.inverted.rows[part.inverted.entries(column)])] += 1
        return total[: self.size]

    def gains(self, token: str, places: Places) -> NDArray[np.float64]:
        """What the chunks at these places gain from the token, times its idf: 0 for those that do not have it."""
        gains = np.zeros(len(places))
        for held in self.held([token]):
            for part, column in zip(self._parts, held.columns, strict=True):
                if column >= 0:
                    self._add_gains(gains, part, column, places)
            gains *= held.idf
        return gains

    def _found(self, tokens: Sequence[str]) -> list[tuple[Places, Frequencies]]:
        """By segment the columns of these tokens, and how many rows that count have them."""
        numbers = np.array([term(token) for token in tokens], np.uint64)
        columns = [part.inverted.find(numbers) for part in self._parts]
        return [(of_part, part.live(of_part)) for part, of_part in zip(self._parts, columns, strict=True)]

    def _gained(self, part: Listed, columns: Sequence[tuple[int, float]]) -> tuple[Integers, NDArray[np.float64]]:
        """Places and gains of all entries of these columns, one column after another, each times its weight.

        All at once: most columns are so short that what a call costs is what they cost.
        """
        inverted = part.inverted
        entries = [inverted.entries(column) for column, _ in columns]
        rows = np.concatenate([inverted.rows[of_column] for of_column in entries])
        frequencies = np.concatenate([inverted.frequencies[of_column] for of_column in entries])
        gains = self.okapi.gain(frequencies, inverted.lengths[rows])
        gains *= np.repeat([weight for _, weight in columns], [one.stop - one.start for one in entries])
        return part.placing.of(rows), gains

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
