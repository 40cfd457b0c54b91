"""The keyword lane: Okapi's scores, and an order that also holds in a knowledge base of one or two chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.lanes.match import Mask, Match
from corpus.lanes.postings import Postings


@dataclass(frozen=True)
class _Tally:
    """Per chunk: Okapi's score, its part from tokens of positive idf, and the number of other tokens."""

    score: NDArray[np.float64]
    telling: NDArray[np.float64]
    common: NDArray[np.int32]

    @property
    def matched(self) -> Mask:
        """A telling token always gains something, so these two say which chunks share any token."""
        return (self.telling > 0) | (self.common > 0)


def scores(postings: Postings, query: Sequence[str]) -> NDArray[np.float64]:
    """The score of every chunk as `BM25Okapi.get_scores` gives it, shape (chunks,)."""
    return _tally(postings, query).score


def scores_at(postings: Postings, query: Sequence[str], places: Sequence[int]) -> NDArray[np.float64]:
    """The same at these places, shape (places,); 0 for a chunk that shares no token with the query."""
    return scores(postings, query)[np.asarray(places, np.intp)]


def search(postings: Postings, query: Sequence[str], depth: int, mask: Mask | None = None) -> list[Match]:
    """The best `depth` chunks that share a token with the query and pass the mask; ties by place.

    Okapi's idf is zero or negative for a token that half of the chunks have. Such tokens order by how many match,
    after the tokens that tell chunks apart; the score reported is Okapi's all the same.
    """
    tally = _tally(postings, query)
    places = np.flatnonzero(tally.matched if mask is None else tally.matched & mask)
    places = _at_least_as_good(places, tally.telling, depth)
    ranked = places[np.lexsort((places, -tally.common[places], -tally.telling[places]))][:depth]
    return [Match(int(place), float(tally.score[place])) for place in ranked]


def _tally(postings: Postings, query: Sequence[str]) -> _Tally:
    telling, common = np.zeros(postings.size), np.zeros(postings.size, np.int32)
    rest = np.zeros(postings.size)
    for token, repeats in Counter(query).items():
        column = postings.column(token)
        if column is None:
            continue
        if column.idf > 0:
            telling[column.places] += (repeats * column.idf) * column.gain
        else:
            rest[column.places] += (repeats * column.idf) * column.gain
            common[column.places] += 1
    return _Tally(telling + rest, telling, common)


def _at_least_as_good(places: NDArray[np.intp], value: NDArray[np.float64], depth: int) -> NDArray[np.intp]:
    """Those that can be among the best `depth`: sorting only these is what keeps long lists cheap."""
    if len(places) <= depth:
        return places
    values = value[places]
    good: NDArray[np.intp] = places[values >= np.partition(values, -depth)[-depth]]
    return good
