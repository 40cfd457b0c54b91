"""Term frequencies in sparse columns, and what `rank_bm25.BM25Okapi` makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

Integers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Terms:
    """The distinct tokens of one chunk, as columns of a vocabulary, and how often each occurs."""

    columns: Integers
    frequencies: Integers


class Vocabulary:
    """Token to column. It only grows, so that terms once numbered serve every later build."""

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._columns)

    def number(self, counts: Mapping[str, int]) -> Terms:
        """The same counts by column; new tokens get new columns."""
        columns = [self._columns.setdefault(token, len(self._columns)) for token in counts]
        return Terms(np.array(columns, np.int32), np.array(list(counts.values()), np.int32))

    def column(self, token: str) -> int | None:
        return self._columns.get(token)


@dataclass(frozen=True)
class Column:
    """The chunks that have a token, by ascending place, and by how much each gains: tf (k1 + 1) / (tf + penalty)."""

    places: Integers
    gain: NDArray[np.float64]
    idf: float


class Postings:
    """Frequencies and lengths only: every score uses the document frequencies of now, so none is ever stale.

    The formula is ATIRE BM25 with a floor under idf, as `rank_bm25` 0.2.2 has it; its class gives k1, b, epsilon, idf.
    """

    def __init__(self, vocabulary: Vocabulary, terms: Sequence[Terms]) -> None:
        self.size = len(terms)
        self._vocabulary = vocabulary
        self._places, self._frequencies, self._starts = _by_column(terms, len(vocabulary))
        self._okapi = _okapi(self.size, np.diff(self._starts))
        self._penalties = _penalties(self._okapi, np.array([of_chunk.frequencies.sum() for of_chunk in terms], float))

    def document_frequency(self, token: str) -> int:
        """How many chunks have the token."""
        start, stop = self._span(token)
        return stop - start

    def column(self, token: str) -> Column | None:
        """None when no chunk has the token."""
        start, stop = self._span(token)
        if start == stop:
            return None
        places, frequencies = self._places[start:stop], self._frequencies[start:stop]
        gain = frequencies * (self._okapi.k1 + 1) / (frequencies + self._penalties[places])
        return Column(places, gain, float(self._okapi.idf[self._vocabulary.column(token)]))

    def _span(self, token: str) -> tuple[int, int]:
        column = self._vocabulary.column(token)
        if column is None or column + 1 >= len(self._starts):
            return 0, 0
        return int(self._starts[column]), int(self._starts[column + 1])


def _by_column(terms: Sequence[Terms], width: int) -> tuple[Integers, Integers, NDArray[np.int64]]:
    """Places and frequencies sorted by column, and where each column starts, shape (width + 1,)."""
    columns = _joined([of_chunk.columns for of_chunk in terms])
    frequencies = _joined([of_chunk.frequencies for of_chunk in terms])
    places = np.repeat(np.arange(len(terms), dtype=np.int32), [len(of_chunk.columns) for of_chunk in terms])
    order = np.argsort(columns, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(columns, minlength=width)))).astype(np.int64)
    return places[order], frequencies[order], starts


def _joined(arrays: Sequence[Integers]) -> Integers:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)


def _okapi(size: int, document_frequencies: NDArray[np.int64]) -> BM25Okapi:
    """The package's own model, given these statistics (idf by column) instead of a corpus of its own."""
    okapi = BM25Okapi([[""]])
    okapi.corpus_size, okapi.idf = size, {}
    present = {column: count for column, count in enumerate(document_frequencies.tolist()) if count}
    if present:
        okapi._calc_idf(present)
    return okapi


def _penalties(okapi: BM25Okapi, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """k1 (1 - b + b length / average length) of every chunk; the average is zero only when no chunk has a token."""
    average = lengths.mean() if lengths.any() else 1.0
    penalties: NDArray[np.float64] = okapi.k1 * (1 - okapi.b + okapi.b * lengths / average)
    return penalties
