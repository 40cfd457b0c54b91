from __future__ import annotations

import pytest

from policy.standalone import kept
from state import Turn

LIFT: Turn = {
    "question": "电梯坏了谁修？",
    "standalone": "电梯坏了谁修？",
    "answer": "由杭州市的物业在30日内修好 [1]。",
}
DRILL: Turn = {"question": "Is the X200 covered?", "standalone": "Is the X200 covered?", "answer": "Yes, by Bosch [1]."}


@pytest.mark.parametrize(
    ("question", "proposed", "before"),
    [
        ("那谁付？", "电梯维修费谁付？", LIFT),
        ("30日没修好怎么办？", "杭州市的物业30天没修好电梯怎么办？", LIFT),
        ("And the battery?", "Is the battery of the X200 covered by Bosch?", DRILL),
        ("不是，我问的是谁付", "电梯维修费谁付？", LIFT),
        ("第二个呢？", "物业的责任呢？", LIFT),
        ("What about the second one?", "Is the battery of the X200 covered?", DRILL),
    ],
)
def test_a_faithful_rewrite_is_taken(question: str, proposed: str, before: Turn) -> None:
    assert kept(question, proposed, [before]) == proposed


@pytest.mark.parametrize(
    ("question", "proposed", "before"),
    [
        ("押金5000元什么时候退？", "押金什么时候退？", LIFT),
        ("上海的电梯谁修？", "电梯谁修？", LIFT),
        ("不修怎么办？", "电梯坏了怎么修？", LIFT),
        ("Is the E-1001 covered by Makita?", "Is the drill covered?", DRILL),
        ("那谁付？", "上海的电梯谁付？", LIFT),
        ("那谁付？", "电梯维修费60日内谁付？", LIFT),
        ("And the battery?", "Is the battery of the Y300 covered?", DRILL),
        ("那谁付？", "  ", LIFT),
    ],
)
def test_one_that_loses_or_adds_something_gives_way_to_the_askers_words(
    question: str, proposed: str, before: Turn
) -> None:
    assert kept(question, proposed, [before]) == question


def test_a_first_question_stands_alone_as_it_is() -> None:
    assert kept("谁付？", "电梯维修费谁付？", []) == "谁付？"
