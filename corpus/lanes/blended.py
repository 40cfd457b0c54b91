"""The mean of scaled sum and reciprocal ranks: what a score stretches, a rank holds back.

A scaled sum knows how much better the best is; but where no chunk shares more than chance words with the question, it
stretches noise to its full range. Ranks know neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from corpus.lanes.match import RankedList
from corpus.lanes.reciprocal import reciprocal_ranks
from corpus.lanes.scaled import scaled_sums


def blended(lists: Sequence[RankedList]) -> dict[int, float]:
    """By place, the mean of its scaled sum and its weighted mean reciprocal rank; each is 1/61 at best."""
    answering = [ranked for ranked in lists if ranked.matches]
    scaled, ranks = scaled_sums(answering), reciprocal_ranks(answering)
    whole = math.fsum(ranked.weight for ranked in answering)
    return {place: (score + ranks[place] / whole) / 2 for place, score in scaled.items()}
