"""What needs no knowledge base: greetings, thanks, sums, and questions about this conversation."""

from __future__ import annotations

import re
from typing import Final, Literal

from text.arithmetic import expression
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
            r"(?=.*(?:谢|thank|thx|cheers|好|ok|great|明白|知道|懂|了解|gotit|辛苦))"
            r"(?:好的?|ok(?:ay)?|great|明白了?|知道了|懂了|了解了?|gotit)?(?:谢谢|多谢|感谢|谢啦|辛苦|thanks|thankyou|thx|cheers)?"
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
_BREAK: Final = re.compile(r"[,，。.!！?？;；、~～…\n]+")


def kind_of_talk(question: str) -> Talk | None:
    """The kind, if the whole question is nothing else; a greeting with a request in it is a request.

    Of several said in a row, such as thanks and a farewell, it is the last.
    """
    if expression(question) is not None:
        return "arithmetic"
    said = [bare for part in _BREAK.split(fold(question)) if (bare := _DECORATION.sub("", part))]
    if not said:
        return "greeting"
    kinds = [_kind(bare) for bare in said]
    return _kind("".join(said)) or (kinds[-1] if all(kinds) else None)


def _kind(bare: str) -> Talk | None:
    return next((talk for talk, pattern in _PATTERNS if pattern.fullmatch(bare)), None)
