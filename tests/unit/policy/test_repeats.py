from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.repeats import Repeats


@pytest.mark.parametrize(
    ("query", "repeat"),
    [
        ("谁付电梯维修费？", "谁付 电梯维修费"),
        ("谁付电梯维修费", "誰付電梯維修費"),
        ("X200-Pro warranty", "ｘ２００-ｐｒｏ  Warranty!"),
        ("repair fee of the lift", "lift, repair fee of the"),
        ("repair fee", "Repair fees"),
        ("三十日内申请", "30日内申请"),
    ],
)
def test_what_differs_in_form_or_order_only_is_a_repeat(query: str, repeat: str) -> None:
    assert not Repeats([query]).adds(repeat)


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("谁付电梯维修费", "谁付电梯检验费"),
        ("version 1.5", "version 15"),
        ("X200 warranty", "X200-Pro warranty"),
        ("可以退货", "不可以退货"),
    ],
)
def test_what_says_something_else_is_new(query: str, other: str) -> None:
    assert Repeats([query]).adds(other)


@pytest.mark.parametrize("empty", ["", "  ", "？！", "…"])
def test_a_query_that_says_nothing_is_not_sent(empty: str) -> None:
    assert not Repeats([]).adds(empty)


@given(st.lists(st.sampled_from(["电梯", "维修", "费用", "lift", "X200", "30日"]), min_size=1, max_size=5))
def test_a_query_is_new_once_in_whatever_order(words: list[str]) -> None:
    repeats = Repeats([])
    assert repeats.adds(" ".join(words))
    assert not repeats.adds(" ".join(reversed(words)))
