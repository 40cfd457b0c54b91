from __future__ import annotations

from graph.turn import begin, recursion_limit
from state import RAGState
from tests.fakes.run import dials


def test_a_turn_resets_every_field_but_history() -> None:
    fresh = begin(
        "q",
        mode="loop",
        filters=None,
        dials=dials(),
        started_at=0.0,
        recorded={"index_generation": 1, "reasoner": "r", "embedder": None},
    )
    assert set(fresh) == set(RAGState.__annotations__) - {"history"}


def test_the_step_limit_covers_the_longest_run() -> None:
    assert recursion_limit(dials(max_retries=20, max_tool_calls=15)) == 6 + 3 * 21 + 30
