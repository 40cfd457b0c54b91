"""May a question be answered without looking anything up? By code: a model that says so is not enough."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from state import Turn
from text.normalise import fold
from text.quantities import unfounded
from text.smalltalk import kind_of_talk

_SOCIAL_WORDS: Final = """
hi hello hey there good morning afternoon evening night day thanks thank thx you u so very a lot cheers ok okay great
nice cool perfect awesome wonderful excellent got it i see understood understand bye goodbye see later soon have one to
meet doing today again all well fine welcome sorry no problem please that helps helped was helpful this the your for
help answer answers everyone team friend and too me im am happy glad love haha lol yes sure best wishes
"""
_SOCIAL: Final = frozenset(_SOCIAL_WORDS.split())
_SOCIAL_MOST: Final = 10
_SOCIAL_QUESTION: Final = re.compile(
    r"\b(?:how are you(?: doing)?|how is it going|how do you do|(?:very|so) much|many thanks"
    r"|what can you do|who are you)\b"
)
_SOCIAL_CHINESE: Final = re.compile(
    r"(?:你好吗?|您好|大家好|嗨|哈+|嘻+|早安?|[早上中下晚]+[上午安]好?|谢+|多谢|感谢|辛苦|不客气|没关系|没事|好的?|很好|太好|真好|真棒"
    r"|太棒|棒|厉害|明白|知道|懂|了解|收到|再见|拜拜|回见|明天见|晚安|[你您]是谁|[你您]叫什么名字|[你您]能做什么|你最近怎么样|你|您|我|了|的"
    r"|啦|呀|啊|吧|哦|嗯|对|真|很|非常|太|你们|帮助|帮忙|解答|回答|聊天|认识|高兴|祝|愉快|周末|开心)+"
)
_SUM: Final = re.compile(
    r"(?:\d+(?:[.,]\d+)*|[\s+\-*/()^%=?.,×÷？]|\b(?:what|is|whats|s|please|calculate|compute|how|much|many|plus|minus|times"
    r"|multiplied|divided|by|of|percent|the|sum|product|difference|square|root|squared|cubed|to|power|and|add|subtract|work"
    r"|out|half|x)\b|请问?|帮我|计算|算|一下|等于|是|多少|几|加上?|减去?|乘以?|除以?|百分之|的|平方根?|次方|和|得|点)+"
)
_CONVERSATION: Final = re.compile(
    r"\b(?:your|my|our|the) (?:last|previous|first|earlier) (?:answers?|repl(?:y|ies)|questions?|messages?)\b"
    r"|\b(?:your|that|this) (?:answers?|repl(?:y|ies))\b|\b(?:our|this|the) (?:conversation|chat)\b"
    r"|\bwhat (?:did|have|was it) (?:you|i) (?:just )?(?:say|said|ask|asked|tell|told|mention)"
    r"|\b(?:repeat|rephrase|shorten|translate) (?:that|it|this)\b"
    r"|(?:你|我)(?:刚才|刚刚|之前|前面|上面)|(?:刚才|刚刚|之前|前面|上面|上一个|第一个|上个)(?:我|你|的)?.{0,3}"
    r"(?:问|说|回答|答|问题|答案)"
    r"|我们的?(?:对话|聊天|谈话)|(?:重复|翻译|总结|概括|缩短)(?:一下|下)?(?:你|刚才|上面|这个|那个|以上)"
)
_MORE: Final = re.compile(r"[,，;；:：。.?？!！]\s*\w{2}")
"""Another clause behind it, which may ask for something else."""
_CONVERSATION_CHARS: Final = 120


def may_be_direct(question: str, history: Sequence[Turn]) -> bool:
    """Whether it is a greeting, thanks, small talk, a sum, or about this conversation (DESIGN, section 3)."""
    if kind_of_talk(question) is not None:
        return True
    said = fold(question)
    return _is_social(said) or _is_sum(said) or (bool(history) and _is_about_us(said))


def states_figures(sentence: str, asked: str, history: Sequence[Turn]) -> bool:
    """Whether a sentence of a direct reply gives amounts or dates that nobody spoke of: nothing was looked up, so they
    are made up. The result of a sum is no such figure. `asked` has the question in each of its forms, a line each."""
    if any(kind_of_talk(line) == "arithmetic" or _is_sum(fold(line)) for line in asked.splitlines()):
        return False
    grounds = [asked, *(said for turn in history for said in (turn["question"], turn["answer"]))]
    return bool(unfounded(sentence, grounds))


def _is_social(said: str) -> bool:
    """Whether nothing is left of a short text without the words of politeness."""
    bare = _SOCIAL_QUESTION.sub("", re.sub(r"[^\w\s]|_", "", said))
    latin = re.findall(r"[a-z]+", bare)
    rest = re.sub(r"[a-z\s]", "", bare)
    return set(latin) <= _SOCIAL and len(latin) <= _SOCIAL_MOST and (not rest or bool(_SOCIAL_CHINESE.fullmatch(rest)))


def _is_sum(said: str) -> bool:
    return len(re.findall(r"\d+", said)) > 0 and _SUM.fullmatch(said.strip("。！!")) is not None


def _is_about_us(said: str) -> bool:
    about = _CONVERSATION.search(said) if len(said) <= _CONVERSATION_CHARS else None
    return about is not None and not _MORE.search(said, about.end())
