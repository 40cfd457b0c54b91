from __future__ import annotations

from typing import get_args

import pytest

from policy.lanes import LANES
from policy.modes import SEARCHES, WAYS, asked, way_of, whole
from state import Mode
from tests.fakes.run import state


def test_every_mode_but_the_agent_has_a_row() -> None:
    assert set(get_args(Mode)) - set(WAYS) == {"agent"}


def test_only_the_loop_goes_back_and_only_it_and_self_query_plan() -> None:
    assert [mode for mode, way in WAYS.items() if way.rounds] == ["loop"]
    assert [mode for mode, way in WAYS.items() if way.plans] == ["self_query", "loop"]
    assert list(SEARCHES) == ["bm25", "naive", "bm25_rerank", "hybrid", "hybrid_rerank"]


@pytest.mark.parametrize(
    ("mode", "lanes", "rerank", "with_one"),
    [
        ("bm25", ("keyword",), False, False),
        ("naive", ("vector",), False, False),
        ("bm25_rerank", ("keyword",), True, True),
        ("hybrid", LANES, False, False),
        ("hybrid_rerank", LANES, True, True),
        ("self_query", LANES, False, True),
        ("loop", LANES, False, True),
    ],
)
def test_what_each_asks_for(mode: Mode, lanes: tuple[str, ...], rerank: bool, with_one: bool) -> None:
    way = WAYS[mode]
    assert way.lanes == lanes
    assert [asked(way, configured=configured)["rerank"] for configured in (False, True)] == [rerank, with_one]
    by = "embedding" if mode == "bm25_rerank" else "configured"
    assert asked(way, configured=True)["reranker"] == by


def test_bm25_rerank_is_twenty_re_ordered_and_five_kept() -> None:
    assert (WAYS["bm25_rerank"].rerank_depth, WAYS["bm25_rerank"].top_k) == (20, 5)
    assert {way.top_k for mode, way in WAYS.items() if mode != "bm25_rerank"} == {None}


def test_a_lane_that_is_alone_has_its_own_weight() -> None:
    weights = {mode: asked(way, configured=False)["weights"] for mode, way in WAYS.items()}
    assert {mode: weight for mode, weight in weights.items() if weight} == {
        "bm25": {"keyword": 1.0},
        "bm25_rerank": {"keyword": 1.0},
        "naive": {"vector": 1.0},
    }


def test_the_row_of_a_turn_is_that_of_its_mode() -> None:
    assert way_of(state(mode="bm25")) is WAYS["bm25"]
    assert whole("who pays?") == [{"id": "q1", "text": "who pays?", "required": True}]
