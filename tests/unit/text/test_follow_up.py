from __future__ import annotations

import pytest

from text.follow_up import leans_on_history, replaced


@pytest.mark.parametrize(
    "question",
    [
        "那谁付？",
        "它的保修期多长？",
        "病假呢？",
        "这种情况下物业要赔吗？",
        "还有别的规定吗",
        "为什么？",
        "物业费",
        "What about sick leave?",
        "And the battery?",
        "Are they members of some association?",
        "Please explain its rules.",
        "Library parking",
        "why?",
    ],
)
def test_what_points_back_or_only_names_a_thing_leans(question: str) -> None:
    assert leans_on_history(question)


@pytest.mark.parametrize(
    "question",
    [
        "年假有几天？",
        "员工入职满一年享受几天带薪年假，它可以分几次休？",
        "影像保存多少天？",
        "X200-Pro 怎么保修",
        "When a tenant rents a garage, may he use it as a workshop?",
        "How does Calico enforce policies?",
        "How many days does case2 take?",
        "find the notice period",
    ],
)
def test_what_names_its_own_subject_stands_alone(question: str) -> None:
    assert not leans_on_history(question)


@pytest.mark.parametrize(
    ("question", "before", "gone"),
    [
        ("And of the X300 pump?", "How long is the warranty of the X200 pump?", {"x200"}),
        ("那X300呢？", "X200水泵保修期多长？", {"x200"}),
        ("And the X300, how long is its warranty?", "What does the X200 weigh?", {"x200"}),
        ("那X300呢？", "X200-Pro报E1001怎么办？", {"x200-pro", "x200", "pro"}),
        ("And what does E1001 mean?", "What does the X200 weigh?", set()),
        ("Is it heavier than the X300?", "What does the X200 weigh?", set()),
        ("它和X300能一起用吗？", "X200水泵多重？", set()),
        ("那和X300比呢？", "X200水泵多重？", set()),
        ("And how much does it cost?", "What does the X200 weigh?", set()),
    ],
)
def test_a_code_takes_the_place_of_its_neighbour_unless_both_are_meant(
    question: str, before: str, gone: set[str]
) -> None:
    assert replaced(question, before) == gone
