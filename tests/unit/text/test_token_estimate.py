"""Estimates of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.token_estimate import beginning, estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("a" * 100, 30), ("梯" * 100, 60), ("梯" * 10 + "a" * 10, 9)]
)
def test_chinese_costs_twice_what_english_does(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(st.sampled_from("梯a "), max_size=40), st.integers(1, 20))
def test_a_beginning_costs_no_more_than_was_asked_for_and_is_as_long_as_it_may_be(text: str, most: int) -> None:
    def cost(text: str) -> float:
        return sum(1 if char == "梯" else 0.5 for char in text)

    cut = beginning(text, most)
    assert text.startswith(cut)
    assert cost(cut) <= most
    assert cut == text or cost(text[: len(cut) + 1]) > most


def test_a_sum_of_tenths_is_not_rounded_up_twice() -> None:
    assert all(estimate_tokens("梯" * n + "a" * 2 * m) == -(-6 * (n + m) // 10) for n in range(60) for m in range(60))


@given(st.text(), st.text())
def test_more_text_never_costs_less_and_parts_never_less_than_the_whole(one: str, other: str) -> None:
    whole = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= whole <= estimate_tokens(one) + estimate_tokens(other)
