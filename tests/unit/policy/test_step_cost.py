from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from context.reasoning import Usage
from policy.budget import nothing_spent, settle
from policy.step_cost import spent_between
from state import Spent


def usage(tokens: int, *, estimated: bool = False, cost: float | None = None, model: str = "m") -> Usage:
    return Usage(model=model, input_tokens=tokens, output_tokens=1, estimated=estimated, cost=cost)


def test_a_step_costs_what_it_added() -> None:
    before = settle(nothing_spent(), [usage(100, cost=0.5)], searches=2)
    after = settle(before, [usage(10, cost=0.25), usage(5, cost=0.25)], searches=1, tool_calls=1)
    assert spent_between(before, after) == {
        "searches": 1,
        "model_calls": 2,
        "tool_calls": 1,
        "input_tokens": 15,
        "output_tokens": 2,
        "estimated": False,
        "cost": 0.5,
    }


def test_what_is_estimated_or_has_no_price_says_so() -> None:
    after = settle(nothing_spent(), [usage(10, estimated=True, cost=1.0), usage(10, model="free")])
    told = spent_between(None, after)
    assert (told["estimated"], told["cost"], told["input_tokens"]) == (True, None, 20)
    assert spent_between(after, after)["estimated"] is False


CALLS = st.lists(st.lists(st.builds(usage, st.integers(0, 1_000), estimated=st.booleans()), max_size=3), max_size=5)


@given(CALLS)
def test_the_steps_of_a_turn_add_up_to_what_it_spent(steps: list[list[Usage]]) -> None:
    counted: list[Spent] = [nothing_spent()]
    for calls in steps:
        counted.append(settle(counted[-1], calls, searches=1))
    costs = [spent_between(a, b) for a, b in pairwise(counted)]
    whole = spent_between(None, counted[-1])
    for kind in ("searches", "model_calls", "input_tokens", "output_tokens"):
        assert sum(cost[kind] for cost in costs) == whole[kind]
