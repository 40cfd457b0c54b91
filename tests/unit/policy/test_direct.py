from __future__ import annotations

import pytest

from policy.direct import may_be_direct
from state import Turn

BEFORE: list[Turn] = [{"question": "q", "standalone": "q", "answer": "a"}]


@pytest.mark.parametrize(
    "question",
    [
        "hello", "hi there!", "Thanks, that helps a lot!", "Nice to meet you", "Have a nice day!", "How are you today?",
        "你好", "谢谢你的帮助！", "太棒了，谢谢", "辛苦了", "哈哈", "12 * (3 + 4)", "What is 15% of 200?", "3 times 4?",
        "12乘以4等于多少？", "200的百分之15是多少",
    ],
)  # fmt: skip
def test_talk_and_sums_need_nothing_looked_up(question: str) -> None:
    assert may_be_direct(question, [])


@pytest.mark.parametrize(
    "question",
    [
        "How long is parental leave?", "hello, how long is parental leave?", "What is the capital of France?",
        "育儿假多久？", "How many are there?", "How much is it?", "是谁？", "你刚才说年假20天，那产假呢？",
        "As in your last answer, how long is maternity leave?",
        "谢谢，那谁付维修费？", "What is 30 days of pay?", "Who pays?",
        "What is article 30 of the code?", "第30条是什么",
        "What are you going to pay?", "好的，押金多少",
    ],
)  # fmt: skip
def test_what_may_hold_a_fact_is_looked_up(question: str) -> None:
    assert not may_be_direct(question, BEFORE)


@pytest.mark.parametrize(
    "question",
    [
        "What did I just ask?",
        "Please translate your last answer into English",
        "Summarise our conversation",
        "你刚才说了什么",
        "总结一下上面的内容",
    ],
)
def test_about_the_conversation_only_where_there_is_one(question: str) -> None:
    assert may_be_direct(question, BEFORE)
