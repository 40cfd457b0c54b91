"""The keyword lane: Okapi's scores, and an order that also holds in a knowledge base of one or two chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.lanes.match import Mask, Match
from corpus.lanes.postings import Postings
from corpus.lanes.top import reached
from corpus.segments.texts import Places


@dataclass(frozen=True)
class _Tally:
    """Per chunk the part of Okapi's score from tokens of positive idf, the rest of it, and the number of tokens in
    that rest; the last two are None when every token's idf is positive."""

    telling: NDArray[np.float64]
    rest: NDArray[np.float64] | None
    common: NDArray[np.int64] | None

    @classmethod
    def of(cls, postings: Postings, query: Sequence[str]) -> _Tally:
        repeats = Counter(query)
        held = postings.held(sorted(repeats))
        telling = postings.scores([(one, repeats[one.token]) for one in held if one.idf > 0])
        rest = [one for one in held if one.idf <= 0]
        if not rest:
            return cls(telling, None, None)
        return cls(telling, postings.scores([(one, repeats[one.token]) for one in rest]), postings.counts(rest))

    def score(self, places: Places | slice) -> NDArray[np.float64]:
        return self.telling[places] if self.rest is None else self.telling[places] + self.rest[places]

    def matched(self, mask: Mask | None) -> Mask:
        """Which of the allowed chunks share any token; a telling token always gains something."""
        matched = self.telling > 0 if self.common is None else (self.telling > 0) | (self.common > 0)
        return matched if mask is None else matched & mask


def scores(postings: Postings, query: Sequence[str]) -> NDArray[np.float64]:
    """The score of every chunk as `BM25Okapi.get_scores` gives it, shape (chunks,)."""
    return _Tally.of(postings, query).score(slice(None))


def scores_at(postings: Postings, query: Sequence[str], places: Sequence[int]) -> NDArray[np.float64]:
    """The same for the chunks at these places only, shape (places,): cheap where they are few."""
    total = np.zeros(len(places))
    for token, repeats in Counter(query).items():
        total += repeats * postings.gains(token, np.asarray(places, np.intp))
    return total


def search(postings: Postings, query: Sequence[str], depth: int, mask: Mask | None = None) -> list[Match]:
    """The best `depth` chunks that share a token with the query and pass the mask; ties by place.

    Okapi's idf is zero or negative for a token that half of the chunks have. Such tokens order by how many match,
    after the tokens that tell chunks apart; the score reported is Okapi's all the same.
    """
    tally = _Tally.of(postings, query)
    telling = tally.telling if mask is None else np.where(mask, tally.telling, 0.0)
    # Sorting only those that can be among the best is what keeps long lists cheap.
    bar = reached(telling, depth)
    places = np.flatnonzero(telling >= bar) if bar > 0 else np.flatnonzero(tally.matched(mask))
    keys = (places, -tally.telling[places])
    order = np.lexsort(keys if tally.common is None else (keys[0], -tally.common[places], keys[1]))
    ranked = places[order][:depth]
    return [Match(place, score) for place, score in zip(ranked.tolist(), tally.score(ranked).tolist(), strict=True)]
