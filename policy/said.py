"""What a person typed: whether it says anything, and what of it would read as a citation. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from policy.citations import CODE
from text.normalise import says_something

_NUMBERS: Final = r"\s*\^?\s*\d{1,3}(?:\s*[-–—~～,，、;；]\s*\^?\d{1,3})*\s*"
_BRACKETED: Final = re.compile(rf" ?(?<![A-Za-z0-9_)\]}}`])(?:[\[［]{_NUMBERS}[\]］])+| ?【{_NUMBERS}】")
"""`[7]`, `[ 7 ]`, `[^5]`, `[1-3]`, `［1］` and `【2】`; not an index such as `arr[1]`."""
_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:.*\n)*? {0,3}\1[`~]*[ \t]*$", re.MULTILINE)


def is_blank(text: str) -> bool:
    """Whether it says nothing once numbers in brackets are taken out."""
    return not says_something(unbracketed(text))


def is_only_marks(text: str) -> bool:
    """Whether it has no letter, digit or picture."""
    return not says_something(text)


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """The text with what lies between its fenced blocks of code changed; the blocks stay to the letter."""
    parts, position = [], 0
    for block in _FENCED.finditer(text):
        parts += [change(text[position : block.start()]), block.group()]
        position = block.end()
    return "".join([*parts, change(text[position:])])


def unbracketed(text: str) -> str:
    """The text without numbers in brackets, with the space before them; those in code stay."""
    return outside_fences(text, _outside_code)


def _outside_code(prose: str) -> str:
    parts, position = [], 0
    for code in CODE.finditer(prose):
        parts += [_BRACKETED.sub("", prose[position : code.start()]), code.group()]
        position = code.end()
    return "".join([*parts, _BRACKETED.sub("", prose[position:])])
