"""Citation markers in an answer: which numbers stand there, which are real, and to which sentence they belong."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import Final

from text.sentences import sentences

_NUMBERS = r"\d{1,3}(?:\s*[,，、]\s*\d{1,3})*"
MARKERS: Final = re.compile(rf"(?<![A-Za-z0-9_)\]}}`])(?:\[{_NUMBERS}\]|［{_NUMBERS}］)+|【{_NUMBERS}】")
"""`[1]`, `[1][3]`, `[1, 3]`, `［1］` and `【2】`; not an index such as `arr[1]`, `m[1][2]` or `f(x)[1]`."""
_UNFINISHED: Final = re.compile(r"[\[［【][\d\s,，、]*$")
_NONE: Final = "\0"
"""Stands for a marker without a real number until it goes, with the space before it."""
CODE: Final = re.compile(r"`[^`]*`")


def checked(sentence: str, numbers: Collection[int]) -> tuple[str, list[int]]:
    """The sentence with its markers written `[1][3]` and unknown numbers removed, and the numbers it cites in order.

    Markers inside backticks are code and stay as they are.
    """
    cited: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        known = [n for n in map(int, re.findall(r"\d+", match.group())) if n in numbers]
        cited.extend(known)
        return "".join(f"[{n}]" for n in known) or _NONE

    parts, position = [], 0
    for code in CODE.finditer(sentence):
        parts += [MARKERS.sub(rewrite, sentence[position : code.start()]), code.group()]
        position = code.end()
    parts.append(MARKERS.sub(rewrite, sentence[position:]))
    text = "".join(parts).replace(f" {_NONE}", "").replace(_NONE, "")
    return text, list(dict.fromkeys(cited))


def without_markers(sentence: str) -> str:
    """The sentence's own words."""
    return MARKERS.sub("", sentence)


def ends(growing: str) -> list[int]:
    """Where the whole sentences of a growing text end; its last one may go on and has no end yet.

    A marker behind the full stop belongs to the sentence before it, if that has none of its own.
    """
    masked = _UNFINISHED.sub(_blank, MARKERS.sub(_blank, growing))
    found = []
    for (start, end), (following, _) in pairwise(sentences(masked)):
        behind = list(MARKERS.finditer(growing, end, following))
        found.append(behind[-1].end() if behind and not MARKERS.search(growing, start, end) else end)
    return found


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
