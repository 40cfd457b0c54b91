"""What a text says, whatever its layout."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text.statements import bare, statements


@pytest.mark.parametrize(
    ("folded", "expected"),
    [
        ("## 第一条  年假", "第一条年假"),
        ("- one,  two", "one two"),
        ("a notable case", "a notable case"),
        ("a no table case", "a no table case"),
        ("1,000 元", "1,000元"),
        ("1, 000", "1 000"),
        ("v2.3.1", "v2.3.1"),
        ("共计 .5 元", "共计 .5元"),
        ("5% < -3?", "5%<-3?"),
        ("**可以**(不)退", "可以不退"),
    ],
)
def test_layout_goes_and_meaning_stays(folded: str, expected: str) -> None:
    assert bare(folded) == expected


@pytest.mark.parametrize(
    "stamp",
    ["2024-05-01", "打印日期：2024年5月1日 10:30", "Last updated: May 3, 2024", "Page 3 of 9", "第3页", "- 3 -"],
)
def test_a_stamp_at_the_edge_is_left_out(stamp: str) -> None:
    assert statements(f"{stamp}\n正文说了一件事。").said == {"正文说了一件事"}
    assert statements(f"正文说了一件事。\n{stamp}").said == {"正文说了一件事"}


@pytest.mark.parametrize(
    "line", ["截止日期：2024-05-01", "自2024年5月1日起施行", "元旦：2024-01-01", "2024年版", "3/4"]
)
def test_a_date_that_says_something_is_no_stamp(line: str) -> None:
    assert len(statements(f"{line}\n正文说了一件事。").said) == 2


def test_a_text_of_stamps_says_them() -> None:
    assert statements("2024-05-01\n第3页").said == {"2024-05-01", "第3页"}


def test_years_are_those_of_the_stamps() -> None:
    assert statements("更新：2024-05-01\n2023年的正文。").years == {"2024"}


def test_a_header_is_a_short_outermost_line_without_number_or_negation() -> None:
    assert statements("公司 内部\n正文一。\n正文二。").headers == {"公司内部"}
    assert not statements("禁止外传\n正文一。").headers
    assert not statements("第三版\n正文一。").headers
    assert not statements("公司 内部").headers


@given(st.text(max_size=300))
def test_any_text_is_taken_apart(text: str) -> None:
    says = statements(text)
    assert says.headers <= says.said | {""}
    assert "" not in says.said
