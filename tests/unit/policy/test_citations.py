from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy.citations import checked, ends

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
        ("Kept 30 days [^2] and 〔3〕.", "Kept 30 days [2] and [3].", [2, 3]),
        ("保存30日【2†source】。", "保存30日[2]。", [2]),
        ("Kept [1-3].", "Kept [1][2][3].", [1, 2, 3]),
        ("x in [0, 1] holds [^9].", "x in [0, 1] holds.", []),
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


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("保存30日。[1]由物业承担。[2][3]好。", ["保存30日。[1]", "由物业承担。[2][3]", "好。"]),
        ("He pays.[1] She asks. [2] Done.", ["He pays.[1]", " She asks. [2]", " Done."]),
        ("已注明[1]。[2]另一句。完。", ["已注明[1]。", "[2]另一句。", "完。"]),
        ("[3]开头。完。", ["[3]开头。", "完。"]),
        ("取 arr[1]。完。", ["取 arr[1]。", "完。"]),
        ("共3.5元。完。", ["共3.5元。", "完。"]),
    ],
)
def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before_it(text: str, parts: list[str]) -> None:
    places = [0, *ends(text), len(text)]
    assert [text[start:end] for start, end in pairwise(places)] == parts


@pytest.mark.parametrize(
    "text", ["保存30日。[", "保存30日。[1", "保存30日。[1]", "保存30日。 [1, ", "保存30日。【2", "He pays. [1"]
)
def test_a_marker_that_may_go_on_keeps_its_sentence_waiting(text: str) -> None:
    assert ends(text) == []


def test_full_width_brackets_are_markers() -> None:
    assert checked("保存30日［2］。", KNOWN) == ("保存30日[2]。", [2])
