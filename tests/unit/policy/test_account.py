from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.reasoning import Usage
from policy import budget
from policy.account import NOTHING, Account, Cost
from tests.fakes.run import dials

COSTS = st.builds(Cost, st.integers(0, 3), st.integers(0, 3), st.integers(0, 4_000), st.integers(0, 2))
LIMITS = {"max_searches": 8, "max_model_calls": 6, "max_tokens": 20_000, "max_tool_calls": 4}


def account(**changed: Any) -> Account:
    return Account(budget.nothing_spent(), dials(**{**LIMITS, **changed}))


@given(st.lists(st.tuples(COSTS, st.integers(0, 3), st.floats(0, 1)), max_size=30), st.randoms())
def test_calls_in_flight_together_never_break_a_budget(calls: list[tuple[Cost, int, float]], chance: Any) -> None:
    """Calls start when there is room and end in any order, each at no more than it reserved."""
    kept, in_flight = account(), []
    for cost, ending, share in calls:
        if kept.lacks(cost) is None:
            kept = kept.reserve(cost)
            in_flight.append((cost, share))
        for _ in range(min(ending, len(in_flight))):
            kept = ended(kept, *in_flight.pop(chance.randrange(len(in_flight))))
    for cost, share in in_flight:
        kept = ended(kept, cost, share)
    assert kept.reserved == NOTHING
    assert kept.spent["searches"] <= 8
    assert kept.spent["model_calls"] <= 6
    assert kept.spent["tool_calls"] <= 4
    assert budget.tokens_spent(kept.spent) <= 20_000


def ended(kept: Account, cost: Cost, share: float) -> Account:
    each = int(cost.tokens * share) // max(cost.model_calls, 1)
    usage = [Usage("m", each, 0, estimated=False)] * cost.model_calls
    return kept.settle(cost, usage, searches=int(cost.searches * share), tool_calls=cost.tool_calls)


@pytest.mark.parametrize(
    ("cost", "lacking"),
    [
        (Cost(searches=9), "call_budget"),
        (Cost(model_calls=7), "call_budget"),
        (Cost(tool_calls=5), "call_budget"),
        (Cost(model_calls=1, tokens=20_001), "token_budget"),
        (Cost(8, 6, 20_000, 4), None),
        (NOTHING, None),
    ],
)
def test_each_budget_stands_on_its_own(cost: Cost, lacking: str | None) -> None:
    assert account().lacks(cost) == lacking


def test_what_is_reserved_or_kept_is_not_there_twice() -> None:
    one = Cost(model_calls=1, tokens=8_000)
    assert account().lacks(one, keep=one.times(2)) == "token_budget"
    assert account().reserve(one).reserve(one).lacks(one) == "token_budget"
    assert account().affordable(one, 4) == 2
    assert account().affordable(one, 4, keep=one) == 1
    with pytest.raises(ValueError, match="no room"):
        account().reserve(one.times(3))


def test_a_full_budget_does_not_stand_in_the_way_of_a_call_that_needs_none_of_it() -> None:
    full = Account(budget.settle(budget.nothing_spent(), [Usage("m", 90_000, 0, False)] * 9), dials(**LIMITS))
    assert full.lacks(Cost(searches=1)) is None
    assert full.lacks(Cost(model_calls=1)) == "call_budget"
