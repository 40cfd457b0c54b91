"""What to say without the knowledge base: to greetings, thanks, sums, and questions about this conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from state import Language, Turn
from text.arithmetic import calculate, expression

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
