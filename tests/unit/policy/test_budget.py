from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context.reasoning import Usage
from policy import budget
from tests.fakes.run import NOW, dials, state

CALLS = st.lists(
    st.builds(Usage, st.just("m"), st.integers(0, 10_000), st.integers(0, 10_000), st.booleans()), max_size=8
)


def test_reported_is_none_until_a_provider_reports() -> None:
    spent = budget.settle(budget.nothing_spent(), [Usage("m", 10, 5, estimated=True)])
    assert spent["reported"] is None
    assert spent["estimated"] == {"input_tokens": 10, "output_tokens": 5}
    assert budget.settle(spent, [Usage("m", 1, 2, estimated=False)])["reported"] == {
        "input_tokens": 1,
        "output_tokens": 2,
    }


@given(CALLS, CALLS)
def test_settling_in_two_steps_equals_settling_at_once(first: list[Usage], second: list[Usage]) -> None:
    start = budget.nothing_spent()
    twice = budget.settle(budget.settle(start, first, searches=1), second, searches=2)
    assert twice == budget.settle(start, [*first, *second], searches=3)


@given(CALLS)
def test_no_token_is_lost_between_reported_and_estimated(calls: list[Usage]) -> None:
    spent = budget.settle(budget.nothing_spent(), calls)
    assert budget.tokens_spent(spent) == sum(call.input_tokens + call.output_tokens for call in calls)
    assert spent["model_calls"] == len(calls)


@given(st.floats(0.1, 600))
def test_the_answer_keeps_its_share_of_the_clock(deadline: float) -> None:
    asked = state(dials=dials(deadline_s=deadline))
    share = budget.generate_seconds(asked["dials"])
    assert 0 < share <= deadline / 2
    assert budget.time_for_call(asked, NOW) <= max(0.1, deadline - share) + 1e-6


def test_time_left_is_never_negative() -> None:
    assert budget.time_left(state(), NOW + 1e9) == 0.0
