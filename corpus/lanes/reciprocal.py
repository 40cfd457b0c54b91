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
        for rank, (place, _) in enumerate(ranked.matches, k + 1):
            shares.setdefault(place, []).append(ranked.weight / rank)
    # An exact sum, so that ties do not depend on the order of the lists.
    return {place: math.fsum(of_place) for place, of_place in shares.items()}
