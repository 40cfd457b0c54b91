from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import BadRequest
from policy.budget import BUDGETS
from runs.dials import lowered, turned
from tests.fakes.service import dials

CEILING = dials()
LIMITS: dict[str, Any] = {name: value for name, value in CEILING.items() if name in BUDGETS}


@given(st.fixed_dictionaries({}, optional={n: st.integers(1, int(v)) for n, v in LIMITS.items() if v >= 1}))
def test_what_is_lowered_is_lowered_and_the_rest_stays(budget: dict[str, Any]) -> None:
    assert dict(lowered(CEILING, budget)) == {**CEILING, **budget}


@pytest.mark.parametrize("name", BUDGETS)
def test_nothing_can_be_raised(name: str) -> None:
    with pytest.raises(BadRequest, match=f"'{name}' may be lowered but not raised"):
        lowered(CEILING, {name: LIMITS[name] + 1})


@pytest.mark.parametrize(
    "budget",
    [
        {"threshold": 0.6},
        {"top_k": 1},
        {"max_searches": 0},
        {"max_retries": -1},
        {"max_retries": True},
        {"max_retries": 1.5},
        {"max_retries": "1"},
        {"deadline_s": float("nan")},
        {"deadline_s": 0},
        {"deadline_s": None},
    ],
)
def test_what_is_no_budget_is_refused(budget: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        lowered(CEILING, budget)


def test_no_retries_at_all_can_be_asked_for() -> None:
    assert lowered(CEILING, {"max_retries": 0})["max_retries"] == 0


def test_a_replay_may_turn_threshold_and_top_k_beside_the_budgets() -> None:
    recorded = lowered(CEILING, {"max_retries": 1})
    changed = turned(recorded, {"threshold": 0.9, "top_k": 3, "max_retries": 2}, CEILING)
    assert (changed["threshold"], changed["top_k"], changed["max_retries"]) == (0.9, 3, 2)


@pytest.mark.parametrize(
    "changes", [{"threshold": 0.4}, {"threshold": "0.9"}, {"top_k": 1_000}, {"grades_per_round": 1}]
)
def test_a_replay_cannot_turn_anything_else(changes: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        turned(CEILING, changes, CEILING)


def test_a_replay_stays_within_the_ceiling_of_today() -> None:
    assert turned(CEILING, {}, dials(max_searches=4))["max_searches"] == 4
