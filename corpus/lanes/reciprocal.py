"""Reciprocal rank fusion: a place counts by where it stands in each list, whatever the lanes' scores are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from corpus.lanes.match import RankedList
from state import RRF_K


def reciprocal_ranks(lists: Sequence[RankedList], k: int = RRF_K) -> dict[int, float]:
    """By place, the sum of weight / (k + rank) over the lists that found it."""
    shares: dict[int, list[float]] = {}
    for ranked in lists:
        for rank, match in enumerate(ranked.matches, 1):
            shares.setdefault(match.place, []).append(ranked.weight / (k + rank))
    # An exact sum, so that ties do not depend on the order of the lists.
    return {place: math.fsum(of_place) for place, of_place in shares.items()}
