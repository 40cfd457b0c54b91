"""Citations in a text: what reads as one, writing `[number]` into it, and making plain what only looks like one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from text.language import language
from text.sentences import stated

_ONE: Final = r"\d{1,3}(?::\d{1,3})?"
_NUMBERS: Final = rf"\s*\^?{_ONE}(?:\s*[,，、;；–—~～-]\s*\^?{_ONE})*\s*(?:†[^\]］】〕\n]{{0,60}})?"
_ISSUE: Final = r"(?!\s*第?\s*\d+\s*号)"
"""What follows the year of an official document: 〔88〕5号 cites nothing."""
MARKERS: Final = re.compile(
    rf"(?<![A-Za-z0-9_)\]}}`])(?:\[{_NUMBERS}\]{_ISSUE}|［{_NUMBERS}］{_ISSUE})+|【{_NUMBERS}】|〔{_NUMBERS}〕{_ISSUE}"
)
"""`[1]`, `[1][3]`, `[1, 3]`, `[1-3]`, `[^1]`, `［1］`, `〔1〕`, `【2】` and `【2†source】`; not an index such as
`arr[1]`, `m[1][2]` or `f(x)[1]`."""
CODE: Final = re.compile(r"`[^`]*`")
_INTERVAL: Final = re.compile(r"(?P<from>\d+)\s*[,，]\s*\d+")
_OF_NUMBERS: Final = re.compile(r"(?:∈|\brange|\binterval|区间|范围|值域)\s*(?:of\s*)?$", re.IGNORECASE)
_PLAIN: Final = str.maketrans("[]［］【】〔〕", "()（）（）（）")


def each_marker(text: str, rewrite: Callable[[re.Match[str]], str]) -> str:
    """The text with what `rewrite` makes of its markers; code in backticks and intervals such as [0, 1] stay."""
    parts, position = [], 0
    for code in CODE.finditer(text):
        parts += [_outside_code(text[position : code.start()], rewrite), code.group()]
        position = code.end()
    return "".join([*parts, _outside_code(text[position:], rewrite)])


def unmarked(text: str) -> str:
    """A text of others with its own numbers in round brackets: in square ones they would cite our sources."""
    return each_marker(text, lambda match: match.group().translate(_PLAIN))


def with_marker(text: str, number: int) -> str:
    """The text, its sentences joined in one paragraph, each ending in `[number]` and then its full stop.

    Rules of tables are left out: they state nothing that could be cited.
    """
    marked: list[str] = []
    for start, end in stated(text):
        sentence = text[start:end]
        body = sentence.rstrip("。！？；.!?;…")
        gap = " " if body[-1:].isascii() else ""  # x[1] and f(x)[1] would read as code
        marked.append(f"{body}{gap}[{number}]{sentence[len(body) :]}")
    joiner = "" if language(text) == "zh" else " "
    return joiner.join(marked)


def _outside_code(text: str, rewrite: Callable[[re.Match[str]], str]) -> str:
    return MARKERS.sub(lambda match: match.group() if _is_interval(match) else rewrite(match), text)


def _is_interval(match: re.Match[str]) -> bool:
    """Whether two numbers are the ends of an interval: the first is 0, or the word before says so."""
    pair = _INTERVAL.fullmatch(match.group()[1:-1].strip())
    return pair is not None and (int(pair["from"]) == 0 or bool(_OF_NUMBERS.search(match.string[: match.start()])))
