"""Chinese numerals and digits are the same numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.numbers import normalise_numbers, numbers, parse_numeral


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十", 10),
        ("三十", 30),
        ("一百零五", 105),
        ("一万二千", 12_000),
        ("一亿五千万", 150_000_000),
        ("一万亿", 10**12),
        ("二〇二四", 2024),
        ("贰拾", 20),
        ("", None),
        ("条", None),
    ],
)
def test_parse_numeral(numeral: str, value: int | None) -> None:
    assert parse_numeral(numeral) == value


def write(value: int) -> str:
    """The usual way to write 1 to 9999."""
    digits, units = "零一二三四五六七八九", ["", "十", "百", "千"]
    written = ""
    for place in range(3, -1, -1):
        digit = value // 10**place % 10
        if digit:
            written += digits[digit] + units[place]
        elif written and not written.endswith("零"):
            written += "零"
    return written.rstrip("零")


@given(st.integers(1, 9999))
def test_every_number_is_read_back(value: int) -> None:
    assert parse_numeral(write(value)) == value
    assert normalise_numbers(f"第{write(value)}条") == f"第{value}条"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不少于三十日", "不少于30日"),
        ("七日内", "7日内"),
        ("两倍", "2倍"),
        ("百分之三十", "30%"),
        ("二〇二四年", "2024年"),
        ("1,000 元", "1000 元"),
        ("五百万元", "5000000元"),
        ("一个月", "1个月"),
    ],
)
def test_numbers_become_digits(text: str, expected: str) -> None:
    assert normalise_numbers(text) == expected


@pytest.mark.parametrize(
    "text", ["一般", "统一", "万一", "千万不要", "十分满意", "三心二意", "二三百人", "一次性", "一一列举", "3,4,5"]
)
def test_words_with_a_numeral_in_them_stay(text: str) -> None:
    assert normalise_numbers(text) == text


def test_numbers_lists_them_in_order() -> None:
    assert numbers("三十日内付 1,000 元，利率 3.5%，见第六十一条") == ["30", "1000", "3.5%", "61"]
