"""Scaled sum and reciprocal ranks in one: what a score stretches, a rank holds back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from corpus.lanes.match import RankedList
from corpus.lanes.reciprocal import reciprocal_ranks
from corpus.lanes.scaled import scaled_sums

SHARE: Final = 0.7
"""How much of a score the scaled sum makes up (docs/decisions/0018)."""


def blended(lists: Sequence[RankedList], share: float = SHARE) -> dict[int, float]:
    """By place, `share` of its scaled sum and the rest of its mean reciprocal rank; both are 1/61 at best."""
    answering = [ranked for ranked in lists if ranked.matches]
    scaled, ranks = scaled_sums(answering), reciprocal_ranks(answering)
    whole = math.fsum(ranked.weight for ranked in answering)
    return {place: share * score + (1 - share) * ranks[place] / whole for place, score in scaled.items()}
