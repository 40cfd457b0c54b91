from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.arithmetic import calculate, expression


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("12*(3+4)=?", "84"),
        ("3加5等于几", "8"),
        ("请问 3×4 是多少？", "12"),
        ("what is 7 - 10?", "-3"),
        ("0.1+0.2", "0.3"),
        ("123456789.12+0.01", "123456789.13"),
        ("0.5-8=", "-7.5"),
        ("1/3=", "0.3333333333"),
        ("-200/7=", "-28.57142857"),
        ("10^64*10^64*10^64*10^64*10^64/3", "3.333333333e+319"),
        ("２＋３", "5"),
        ("2^10", "1024"),
        ("1/0=?", None),
        ("9^9^9", None),
        ("((((9^64)^64)^64)^64)^64", None),
    ],
)
def test_sums(question: str, value: str | None) -> None:
    asked = expression(question)
    assert asked is not None
    assert calculate(asked) == value


@pytest.mark.parametrize(
    "question", ["2024-11-30", "400-123-4567", "2024/11/30", "维修费多少？", "第61条", "3人以上", "", "1+" * 60, "a+b"]
)
def test_not_a_sum(question: str) -> None:
    assert expression(question) is None


@given(st.integers(-10_000, 10_000), st.sampled_from("+-*"), st.integers(0, 10_000))
def test_agrees_with_python(left: int, sign: str, right: int) -> None:
    expected = {"+": left + right, "-": left - right, "*": left * right}[sign]
    assert calculate(f"{left}{sign}{right}") == str(expected)


@given(st.text(alphabet="0123456789+-*/%^(). =?", max_size=60))
def test_no_text_of_digits_and_signs_makes_it_raise(question: str) -> None:
    asked = expression(question)
    if asked is not None:
        calculate(asked)
