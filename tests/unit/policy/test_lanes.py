"""What a place in a lane counts."""

from __future__ import annotations

from policy.lanes import gain
from state import NARROWED_WEIGHT
from tests.fakes.run import dials


def test_a_place_in_a_narrowed_list_counts_its_share() -> None:
    whole = gain(dials(), {"query": "q", "lane": "vector", "rank": 1, "score": 1.0})
    narrowed = gain(dials(), {"query": "q", "lane": "vector", "rank": 1, "score": 1.0, "narrowed": True})
    assert narrowed == whole * NARROWED_WEIGHT
