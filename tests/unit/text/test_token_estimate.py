"""Estimates of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("a" * 100, 30), ("梯" * 100, 60), ("梯" * 10 + "a" * 10, 9)]
)
def test_chinese_costs_twice_what_english_does(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_more_text_never_costs_less_and_parts_never_less_than_the_whole(one: str, other: str) -> None:
    whole = estimate_tokens(one + other)
    assert max(estimate_tokens(one), estimate_tokens(other)) <= whole <= estimate_tokens(one) + estimate_tokens(other)
