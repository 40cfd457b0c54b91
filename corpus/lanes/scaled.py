"""The scaled sum: a place counts by its exact score in every lane, each lane brought to the range from 0 to 1.

A convex combination of scores, as Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, TOIS
2023, compare it with rank fusion. Keyword scores have a zero of their own (no shared word), so they are divided by the
best; cosines have none that means anything, so the worst candidate's counts 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corpus.lanes.match import RankedList
from state import RRF_K

Scores = NDArray[np.float64]


def scaled_sums(lists: Sequence[RankedList]) -> dict[int, float]:
    """By place, the weighted mean of scaled scores over the lists, divided by 61.

    Candidates are what any list found; each is compared with every query in every lane, wherever it was found. The best
    of any search is near 1 before the division, however far off: at the size of reciprocal ranks nobody takes it for a
    relevance.
    """
    answering = [ranked for ranked in lists if ranked.matches and ranked.weight > 0]
    places = sorted({match.place for ranked in answering for match in ranked.matches})
    whole = math.fsum(ranked.weight for ranked in answering)
    parts = [ranked.weight / whole / (RRF_K + 1) * _scaled(ranked, places) for ranked in answering]
    # An exact sum, so that ties do not depend on the order of the lists.
    return {place: math.fsum(part[n] for part in parts) for n, place in enumerate(places)}


def _scaled(ranked: RankedList, places: Sequence[int]) -> Scores:
    """The list's scores at these places, from 0 to 1. One that it cannot tell counts 0."""
    found = _never_rising(ranked)
    known = np.array([found.get(place, ranked.elsewhere.get(place, -math.inf)) for place in places])
    low = 0.0 if ranked.lane == "keyword" else float(known[np.isfinite(known)].min())
    high = float(known.max())
    if high <= low:  # nothing tells them apart
        return np.array([float(place in found) for place in places])
    scaled: Scores = np.maximum(known - low, 0.0) / (high - low)
    return scaled


def _never_rising(ranked: RankedList) -> dict[int, float]:
    """The scores found, none above that of a better rank: in tiny corpora Okapi's do not always follow its order."""
    scores = np.minimum.accumulate([match.score for match in ranked.matches])
    return {match.place: float(score) for match, score in zip(ranked.matches, scores, strict=True)}
