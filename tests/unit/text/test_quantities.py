"""Numbers, units and dates are the same however they are written, and others are not."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.number_words import words_to_digits
from text.quantities import unfounded

SAME = [
    ("三十日", "30天"),
    ("三十日", "30 days"),
    ("３０天", "三十日"),
    ("一万元", "10,000 yuan"),
    ("1.5万元", "15,000元"),
    ("¥100", "100元"),
    ("百分之五", "5%"),
    ("百分之五", "5 percent"),
    ("３.５％", "3.5 per cent"),
    ("第六十一条", "Article 61"),
    ("十二个月", "twelve months"),
    ("thirty-one days", "31日"),
    ("10 thousand yuan", "一万元"),
    ("2024年3月1日", "2024-03-01"),
    ("2024年3月1日", "March 1, 2024"),
    ("2024年3月1日", "1 March 2024"),
    ("二〇二四年三月一日", "2024/3/1"),
    ("May 5", "5月5日"),
    ("1.50", "1.5"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_notations_of_the_same(one: str, other: str) -> None:
    assert unfounded(one, [other]) == unfounded(other, [one]) == []


@pytest.mark.parametrize(
    ("statement", "ground", "wrong"),
    [
        ("保存30小时", "保存30天", ["30小时"]),
        ("within 30 working days", "30日内", ["30 working days"]),
        ("US$100", "100元", ["$100"]),
        ("2024年3月1日", "2023年3月1日发布，2024年修订", ["2024年3月1日"]),
        ("3月2日", "2024年3月1日", ["3月2日"]),
        ("90天和90天", "15天", ["90天"]),
        ("共 2 次", "共三次", ["2"]),
    ],
)
def test_others_are_named_as_they_are_written(statement: str, ground: str, wrong: list[str]) -> None:
    assert unfounded(statement, [ground]) == wrong


@pytest.mark.parametrize(
    ("statement", "ground"),
    [
        ("2024年3月", "自2024年3月1日起"),
        ("3月1日", "2024年3月1日"),
        ("in 2024", "2024年3月1日"),
        ("30", "30天"),
        ("一项规定，两人", "没有数字"),
        ("one of them", "no number"),
        ("It may take 30 days", "30天"),
    ],
)
def test_less_exact_is_not_wrong(statement: str, ground: str) -> None:
    assert unfounded(statement, [ground]) == []


def test_a_part_may_come_from_another_ground() -> None:
    assert unfounded("30天，7日", ["30日", "7天"]) == []


@given(st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2100, 1, 1)), st.dates(min_value=dt.date(1900, 1, 1)))
def test_a_date_agrees_with_itself_alone(date: dt.date, other: dt.date) -> None:
    written = [f"{date.year}年{date.month}月{date.day}日", f"{date:%Y-%m-%d}", f"{date:%B} {date.day}, {date.year}"]
    assert all(unfounded(one, [two]) == [] for one in written for two in written)
    if other != date:
        assert all(unfounded(one, [f"{other:%Y-%m-%d}"]) for one in written)


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("between two and three days", "between 2 and 3 days"),
        ("one million two hundred thousand", "1200000"),
        ("a hundred and five", "105"),
        ("nineteen eighty", "19 80"),
        ("someone is at weight none often", "someone is at weight none often"),
        ("hundreds of people", "hundreds of people"),
    ],
)
def test_number_words(words: str, digits: str) -> None:
    assert words_to_digits(words) == digits
