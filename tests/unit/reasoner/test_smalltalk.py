from __future__ import annotations

import pytest

from reasoner.smalltalk import reply
from state import Turn
from text.smalltalk import kind_of_talk

TURN: Turn = {"question": "谁付？", "standalone": "谁付维修费？", "answer": "物业付[1]。"}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("你好", "greeting"),
        ("您好！", "greeting"),
        ("Hi there", "greeting"),
        ("👋", "greeting"),
        ("好的，谢谢！", "thanks"),
        ("谢谢，辛苦了！", "thanks"),
        ("辛苦了", "thanks"),
        ("你好，在吗？", "greeting"),
        ("Thanks! Goodbye.", "farewell"),
        ("谢谢，再见，电梯几点停？", None),
        ("你好。谁付？", None),
        ("辛苦费是多少", None),
        ("Thank you very much.", "thanks"),
        ("好的", "thanks"),
        ("回答", None),
        ("帮助", None),
        ("你", None),
        ("再见", "farewell"),
        ("你是谁？", "identity"),
        ("What can you do?", "identity"),
        ("我刚才问了什么？", "conversation"),
        ("1+1=?", "arithmetic"),
        ("你好，电梯坏了谁修？", None),
        ("Hello, who pays for the lift?", None),
        ("公司食堂几点开？", None),
        ("谢谢信写给谁", None),
        ("2024-11-30", None),
        ("中国的首都是哪里", None),
    ],
)
def test_only_talk_that_is_nothing_else_is_direct(question: str, kind: str | None) -> None:
    assert kind_of_talk(question) == kind


def test_replies() -> None:
    assert reply("arithmetic", "3×4=?", [], "zh") == "3*4 = 12"
    assert reply("arithmetic", "1/0=", [], "en") == "1/0 has no result that I can give."
    assert "谁付？" in reply("conversation", "我刚才问了什么", [TURN], "zh")
    assert reply("conversation", "我刚才问了什么", [], "zh") == "这是我们对话里的第一个问题。"
    assert reply("greeting", "hi", [], "en").startswith("Hello")
