from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.citations import checked

KNOWN = {1, 2, 3, 6}


@pytest.mark.parametrize(
    ("sentence", "text", "cited"),
    [
        ("保存30日[2]。", "保存30日[2]。", [2]),
        ("由物业承担[1][3]。", "由物业承担[1][3]。", [1, 3]),
        ("见【2】。", "见[2]。", [2]),
        ("Kept for 30 days [1, 3].", "Kept for 30 days [1][3].", [1, 3]),
        ("不存在[9]。", "不存在。", []),
        ("零号[0]。", "零号。", []),
        ("取 arr[1] 的值[6]。", "取 arr[1] 的值[6]。", [6]),
        ("取 m[1][2] 与 f(x)[1]。", "取 m[1][2] 与 f(x)[1]。", []),
        ("写作 `[1]` 即可[2]。", "写作 `[1]` 即可[2]。", [2]),
        ("没有编号。", "没有编号。", []),
        ("[3]开头。", "[3]开头。", [3]),
    ],
)
def test_markers(sentence: str, text: str, cited: list[int]) -> None:
    assert checked(sentence, KNOWN) == (text, cited)


@given(st.text(alphabet="甲乙 a.[]()【】`0123456789,", max_size=60))
def test_only_known_numbers_are_ever_cited(sentence: str) -> None:
    assert set(checked(sentence, KNOWN)[1]) <= KNOWN


@given(st.text(alphabet="甲乙 a.[](`0123456789", max_size=60))
def test_checking_twice_cites_the_same(sentence: str) -> None:
    text, cited = checked(sentence, KNOWN)
    assert set(checked(text, KNOWN)[1]) >= set(cited)
