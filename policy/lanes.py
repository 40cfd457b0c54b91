"""How much each lane counts."""

from __future__ import annotations

from typing import Final

from state import NARROWED_WEIGHT, RRF_K, Dials, Lane, LaneRank, Stage

LANES: Final[tuple[Lane, ...]] = ("keyword", "vector")


def weight(dials: Dials, lane: Stage) -> float:
    """The lane's weight in fusion; a reranker, which read both question and chunk, counts as both lanes together."""
    weights: dict[Stage, float] = {"keyword": dials["keyword_weight"], "vector": dials["vector_weight"]}
    return weights[lane] if lane in weights else sum(weights.values())


def gain(dials: Dials, place: LaneRank) -> float:
    """What one place in one lane adds to a hit: weight / (60 + rank), half of it in a narrowed list."""
    share = NARROWED_WEIGHT if place.get("narrowed") else 1.0
    return share * weight(dials, place["lane"]) / (RRF_K + place["rank"])
