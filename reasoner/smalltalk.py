"""What can be said without the knowledge base: greetings, thanks, sums, and questions about this conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from state import Language, Turn
from text.arithmetic import calculate, expression
from text.normalise import fold

Talk = Literal["greeting", "thanks", "farewell", "identity", "arithmetic", "conversation"]

_PATTERNS: Final[tuple[tuple[Talk, re.Pattern[str]], ...]] = (
    (
        "greeting",
        re.compile(
            r"(?:你好|您好|大家好|嗨|哈喽|哈啰|早|早安|早上好|上午好|中午好|下午好|晚上好|在吗|在不在|hi|hello|hey|"
            r"good(?:morning|afternoon|evening)|greetings|howareyou(?:doing)?(?:today)?)(?:呀|啊|哈|哦|吗|there|everyone|all)*"
        ),
    ),
    (
        "thanks",
        re.compile(
            r"(?=.*(?:谢|thank|thx|cheers|好|ok|great|明白|知道|懂|了解|gotit))"
            r"(?:好的?|ok(?:ay)?|great|明白了?|知道了|懂了|了解了?|gotit)?(?:谢谢|多谢|感谢|谢啦|thanks|thankyou|thx|cheers)?"
            r"(?:你|您|啦|了|alot|somuch|verymuch)*(?:的?(?:帮助|解答|回答)|foryourhelp)?"
        ),
    ),
    (
        "farewell",
        re.compile(r"(?:再见|拜拜|回见|明天见|晚安|(?:good)?bye(?:bye)?|seeyou(?:later)?|goodnight)(?:啦|了|吧)*"),
    ),
    (
        "identity",
        re.compile(
            r"(?:你是谁|您是谁|你是什么|你叫什么(?:名字)?|你能做什么|你会什么|你可以做什么|介绍一下你自己|你有什么用|"
            r"whoareyou|whatareyou|whatcanyoudo|whatdoyoudo|help)"
        ),
    ),
    (
        "conversation",
        re.compile(
            r"我?(?:刚才|刚刚|上一个|之前|前面)我?(?:问|说)(?:的|了)?是?(?:什么|啥|哪个)?(?:问题)?|"
            r"你(?:刚才|刚刚)(?:说|回答)(?:的|了)?是?什么|"
            r"whatdidi(?:just)?(?:ask|say)|whatwasmy(?:last|previous)question|whatdidyou(?:just)?say"
        ),
    ),
)
"""Matched against the whole question without spaces and punctuation."""
_DECORATION: Final = re.compile(r"[\W_]+")

_REPLIES: Final[dict[str, dict[Language, str]]] = {
    "greeting": {"zh": "你好！请告诉我你想在资料里查什么。", "en": "Hello! Tell me what you would like to look up."},
    "thanks": {"zh": "不客气！", "en": "You are welcome!"},
    "farewell": {"zh": "再见！", "en": "Goodbye!"},
    "identity": {
        "zh": "我是 Gapseek，根据知识库里的资料回答问题，并注明出处；资料里没有的，我会直说。",
        "en": "I am Gapseek: I answer from this knowledge base, with citations, and say what it lacks.",
    },
}
_NO_TURN: Final[dict[Language, str]] = {
    "zh": "这是我们对话里的第一个问题。",
    "en": "This is the first question of our conversation.",
}
_LAST_TURN: Final[dict[Language, str]] = {
    "zh": "你上一个问题是“{question}”，我的回答是：{answer}",
    "en": "Your last question was “{question}”; my answer was: {answer}",
}


def kind_of_talk(question: str) -> Talk | None:
    """The kind, if the whole question is nothing else; a greeting with a request in it is a request."""
    if expression(question) is not None:
        return "arithmetic"
    bare = _DECORATION.sub("", fold(question))
    if not bare:
        return "greeting"
    return next((talk for talk, pattern in _PATTERNS if pattern.fullmatch(bare)), None)


def reply(talk: str, question: str, history: Sequence[Turn], language: Language) -> str:
    """What to say to it; `talk` is a route's reason, and an unknown one is met like a greeting."""
    if talk == "arithmetic":
        return _sum(question, language)
    if talk == "conversation":
        return _LAST_TURN[language].format(**history[-1]) if history else _NO_TURN[language]
    return _REPLIES.get(talk, _REPLIES["greeting"])[language]


def _sum(question: str, language: Language) -> str:
    asked = expression(question) or ""
    value = calculate(asked)
    shown = asked.replace("**", "^")
    if value is None:
        return f"{shown} 算不出结果。" if language == "zh" else f"{shown} has no result that I can give."
    return f"{shown} = {value}"
