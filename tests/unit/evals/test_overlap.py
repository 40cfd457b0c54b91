"""Each metric against cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.overlap import contains, exact_match, point_recall, token_f1, units


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The U.S. paid $1,000!", ["us", "paid", "1000"]),  # as SQuAD's normalize_answer
        ("电梯X200-Pro坏了。", ["电", "梯", "x200pro", "坏", "了"]),  # as CMRC 2018's mixed_segmentation
        ("電梯[1]，【2】", ["电", "梯"]),
        ("8:00至12:00、14:00（周末），3台", ["800", "至", "1200", "1400", "周", "末", "3", "台"]),
        ("", []),
    ],
)
def test_units(text: str, wanted: list[str]) -> None:
    assert units(text) == wanted


@pytest.mark.parametrize(
    ("answer", "wording", "stands"),
    [
        ("It lasts thirty days [2].", "Thirty days", True),
        ("In 2014 it ended.", "14", False),
        ("days thirty", "thirty days", False),
        ("保存三十日以上[1]。", "三十日", True),
        ("保存三十[1]日", "三十日", True),
        ("anything", "…", False),
    ],
)
def test_contains_is_in_a_row_and_of_whole_units(answer: str, wording: str, stands: bool) -> None:
    assert contains(answer, wording) is stands


def test_a_point_counts_with_any_of_its_wordings() -> None:
    assert point_recall("30 days, by the office", [["30 days", "thirty days"], ["manager"]]) == 0.5
    assert point_recall("thirty days", [["30 days", "thirty days"]]) == 1.0


def test_f1_is_that_of_the_nearest_reference() -> None:
    # 2 shared; 3 said, 2 and 4 wanted: 4/5 and 4/7.
    assert token_f1("cat sat down", ["the cat sat", "cat sat on mats"]) == pytest.approx(0.8)
    assert token_f1("纺锤形状", ["纺锤形"]) == pytest.approx(6 / 7)
    assert token_f1("a a b", ["b b b"]) == pytest.approx(2 / 4)  # two articles are no units; 1 shared of 1 and 3


@pytest.mark.parametrize(("answer", "references"), [("", ["x"]), ("x", [""]), ("x", []), ("", [""])])
def test_f1_of_nothing_is_nought(answer: str, references: list[str]) -> None:
    assert token_f1(answer, references) == 0.0


WORDS = st.lists(st.sampled_from(["b", "c", "电", "梯", "30"]), min_size=1).map(" ".join)


@given(WORDS, WORDS)
def test_f1_is_symmetric_one_for_the_same_and_between(one: str, other: str) -> None:
    assert token_f1(one, [other]) == pytest.approx(token_f1(other, [one]))
    assert token_f1(one, [one]) == pytest.approx(1.0)
    assert 0.0 <= token_f1(one, [other]) <= 1.0


@given(WORDS, WORDS, WORDS)
def test_a_text_contains_each_of_its_pieces(before: str, piece: str, after: str) -> None:
    assert contains(f"{before} {piece} {after}", piece)


def test_exact_match_is_unit_by_unit() -> None:
    assert exact_match("The 30 days. [1]", ["a month", "30 Days"])
    assert exact_match("三十日。", ["三十日"])
    assert not exact_match("It is 30 days", ["30 days"])
    assert not exact_match("30 days", [])
