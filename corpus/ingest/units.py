"""What a chunk is made of and never cuts: a sentence, a row of a table, a line of code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from text.sentences import sentences

_SPECIAL: Final = re.compile(
    r"""
    ^[ ]{0,3}(?P<fence>```|~~~).*?(?:^[ ]{0,3}(?P=fence)[^\n]*|\Z)
  | ^[ \t]*(?P<header>\|[^\n]*)\n[ \t]*\|(?=[^\n]*-)[ \t:|-]+$(?P<rows>(?:\n[ \t]*\|[^\n]*)*)
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_LINE: Final = re.compile(r"[^\n]+")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_LONGEST_HEADER: Final = 200
_LONGEST_CLUSTER: Final = 32


@dataclass(frozen=True)
class Unit:
    """`text[start:end]` of the document; `header` names the columns when this is a row under a table's header."""

    start: int
    end: int
    header: str = ""


def units(text: str, start: int, end: int) -> Iterator[Unit]:
    """The units of `text[start:end]` in order, none blank, with nothing but white space between them."""
    place = start
    for special in _SPECIAL.finditer(text, start, end):
        yield from _prose(text, place, special.start())
        yield from _rows(text, special) if special["fence"] is None else _lines(text, special.start(), special.end())
        place = special.end()
    yield from _prose(text, place, end)


def edge(text: str, place: int, floor: int) -> int:
    """The nearest place at or before this one, and after `floor`, that cuts no character that readers see as one."""
    for cut in range(place, max(floor, place - _LONGEST_CLUSTER), -1):
        if cut >= len(text) or not _joins(text, cut, floor):
            return cut
    return place


def _prose(text: str, start: int, end: int) -> Iterator[Unit]:
    for a, b in sentences(text[start:end]):
        yield Unit(start + a, start + b)


def _lines(text: str, start: int, end: int, header: str = "") -> Iterator[Unit]:
    for line in _LINE.finditer(text, start, end):
        if line[0].strip():
            yield Unit(line.start(), line.end(), header)


def _rows(text: str, found: re.Match[str]) -> Iterator[Unit]:
    """The header with the rule below it, then each row."""
    yield Unit(found.start("header"), found.start("rows"))
    yield from _lines(text, found.start("rows"), found.end("rows"), _header(found["header"]))


def _header(line: str) -> str:
    """The names of the columns that have one, as many as fit."""
    names = [" ".join(cell.split()) for cell in _CELLS.split(line)]
    shown = ""
    for name in filter(None, names):
        longer = f"{shown} | {name}" if shown else name
        if len(longer) > _LONGEST_HEADER:
            break
        shown = longer
    return shown


def _joins(text: str, cut: int, floor: int) -> bool:
    """Whether the characters on both sides of the cut belong together (the common cases of UAX #29).

    No sign reaches over `floor`, so that pairs of flag letters are counted from there.
    """
    before, after = text[cut - 1], text[cut]
    if before == "\u200d" or _extends(after):
        return True
    if not _is_flag_half(after) or not _is_flag_half(before):
        return False
    run = cut
    while run > floor and _is_flag_half(text[run - 1]):
        run -= 1
    return (cut - run) % 2 == 1


def _extends(char: str) -> bool:
    """Joiners, marks, variation selectors, skin tones and tags add to the character before them."""
    return (
        char == "\u200d"
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
