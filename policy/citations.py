"""Citation markers in an answer: which numbers stand there, and which of them are real."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from text.numbers import definite_numbers, numbers

LIST_NUMBER: Final = re.compile(r"^\s*(?:\(?\d{1,2}[.)、](?=\s|[^\d])|第[一二三四五六七八九十\d]{1,3}[，,、点步])")
"""The number of a list's item: it counts and states nothing."""
_GROUP = r"\[\d{1,3}(?:\s*[,，、]\s*\d{1,3})*\]"
MARKERS: Final = re.compile(rf"(?<![A-Za-z0-9_)\]}}`])(?:{_GROUP})+|【\d{{1,3}}】")
"""`[1]`, `[1][3]`, `[1, 3]` and `【2】`; not an index such as `arr[1]`, `m[1][2]` or `f(x)[1]`."""
CODE: Final = re.compile(r"`[^`]*`")


def checked(sentence: str, numbers: Collection[int]) -> tuple[str, list[int]]:
    """The sentence with its markers written `[1][3]` and unknown numbers removed, and the numbers it cites in order.

    Markers inside backticks are code and stay as they are.
    """
    cited: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        known = [n for n in map(int, re.findall(r"\d+", match.group())) if n in numbers]
        cited.extend(known)
        return "".join(f"[{n}]" for n in known)

    parts, position = [], 0
    for code in CODE.finditer(sentence):
        parts += [MARKERS.sub(rewrite, sentence[position : code.start()]), code.group()]
        position = code.end()
    parts.append(MARKERS.sub(rewrite, sentence[position:]))
    return "".join(parts), list(dict.fromkeys(cited))


def unverified(sentence: str, grounds: Iterable[str]) -> list[str]:
    """The numbers that a checked sentence states and none of the grounds has, however either writes them."""
    stated = definite_numbers(LIST_NUMBER.sub("", MARKERS.sub("", sentence)))
    known = {number for ground in grounds for number in numbers(ground)}
    return [number for number in dict.fromkeys(stated) if number not in known]
