"""What a person typed: whether it says anything, and what of it would read as a citation. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from text.citing import CODE
from text.normalise import says_something

_NUMBERS: Final = r"\s*\^?\s*\d{1,3}(?:\s*[-–—~～,，、;；]\s*\^?\d{1,3})*\s*"
_BRACKETED: Final = re.compile(rf" ?(?<![A-Za-z0-9_)\]}}`])(?:[\[［]{_NUMBERS}[\]］])+| ?【{_NUMBERS}】")
"""`[7]`, `[ 7 ]`, `[^5]`, `[1-3]`, `［1］` and `【2】`; not an index such as `arr[1]`."""
_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:.*\n)*? {0,3}\1[`~]*[ \t]*$", re.MULTILINE)


def is_only_marks(text: str) -> bool:
    """Whether it has no letter, digit or picture."""
    return not says_something(text)


def says_nothing(text: str) -> bool:
    """Whether it has no letter, digit or picture but numbers in brackets."""
    return not any(says_something(piece if is_code else unbracketed(piece)) for piece, is_code in pieces(text))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and of each whether it is a fenced block of code; joined they are the text."""
    position = 0
    for block in _FENCED.finditer(text):
        yield text[position : block.start()], False
        yield block.group(), True
        position = block.end()
    yield text[position:], False


def unbracketed(prose: str) -> str:
    """Text between fenced blocks without numbers in brackets and the space before them; what is in backticks stays."""
    parts, position = [], 0
    for code in CODE.finditer(prose):
        parts += [_BRACKETED.sub("", prose[position : code.start()]), code.group()]
        position = code.end()
    return "".join([*parts, _BRACKETED.sub("", prose[position:])])
