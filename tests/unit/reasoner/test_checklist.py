from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasoner.checklist import clauses, sub_questions
from state import MAX_SUB_QUESTIONS


def test_a_simple_question_is_its_own_only_one() -> None:
    assert sub_questions("影像资料保存多少天？") == ["影像资料保存多少天？"]


def test_two_questions_are_two() -> None:
    assert sub_questions("影像资料保存多少天？维修费用由谁承担？") == ["影像资料保存多少天？", "维修费用由谁承担？"]


def test_a_fragment_joins_its_neighbour() -> None:
    assert sub_questions("影像资料保存多少天？谁管？") == ["影像资料保存多少天？谁管？"]


def test_a_case_told_in_clauses_is_cut_into_its_circumstances() -> None:
    question = "装修工人搬运水泥砂浆，轿厢地板出现裂缝，物业出具维修报价，业主拒绝支付费用，应当由谁承担？"
    assert sub_questions(question) == [
        "装修工人搬运水泥砂浆",
        "轿厢地板出现裂缝",
        "物业出具维修报价",
        "业主拒绝支付费用，应当由谁承担？",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("What is the processing fee for visas", "who is the king of Norway?"),
        ("How long is footage kept", "which documents prove the ownership of a flat?"),
    ],
)
def test_a_second_english_question_stands_alone(first: str, second: str) -> None:
    assert sub_questions(f"{first} and {second}") == [first, second]
    assert sub_questions(f"{first}, and {second}") == [first, second]


@pytest.mark.parametrize(
    "question",
    [
        "What is the processing fee and who pays it?",
        "What is the processing fee and who pays?",
        "When and how is the footage of Norway kept?",
        "What is the fee for visas and passports?",
        "Where are the footage archives and what do they hold for Norway?",
        "For what and for which visas is a fee due?",
    ],
)
def test_a_second_question_that_leans_on_the_first_stays_with_it(question: str) -> None:
    assert sub_questions(question) == [question]


def test_english_clauses() -> None:
    assert clauses("The drill broke, and I kept the receipt") == ["The drill broke", "and I kept the receipt"]
    assert clauses("I paid 1,000 yuan, then 200") == ["I paid 1,000 yuan", "then 200"]


@given(st.text(alphabet="甲乙丙电梯维修，。？ abc,.?", max_size=80))
def test_one_to_six_pieces_in_the_askers_own_words(question: str) -> None:
    pieces = sub_questions(question)
    assert 1 <= len(pieces) <= MAX_SUB_QUESTIONS
    asked = set(question)
    assert all(set(piece) - {"，", ",", " "} <= asked for piece in pieces)


def test_nothing_of_a_long_case_is_dropped() -> None:
    circumstances = [f"第{name}处电梯设备出现异常损坏" for name in "甲乙丙丁戊己庚辛"]
    pieces = sub_questions("，".join(circumstances) + "？")
    assert len(pieces) == MAX_SUB_QUESTIONS
    assert all(any(one in piece for piece in pieces) for one in circumstances)


@pytest.mark.parametrize(
    ("question", "pieces"),
    [
        ("E1001和E1002分别是什么意思？", ["E1001分别是什么意思？", "E1002分别是什么意思？"]),
        ("What do E1001, E1002 and E1003 mean?", ["What do E1001 mean?", "What do E1002 mean?", "What do E1003 mean?"]),
        ("What is E1002 and what is E1001?", ["What is E1002", "what is E1001?"]),
        ("X200-Pro 和 X200 的区别是什么？", ["X200-Pro 和 X200 的区别是什么？"]),
        ("Which is better, X200 and X300?", ["Which is better, X200 and X300?"]),
    ],
)
def test_listed_codes_are_asked_for_one_by_one_unless_they_are_compared(question: str, pieces: list[str]) -> None:
    assert sub_questions(question) == pieces
