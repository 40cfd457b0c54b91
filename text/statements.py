"""What a text says, sentence by sentence, without its layout: two copies of a text say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from text.negation import NEGATION
from text.normalise import fold
from text.numbers import numbers
from text.sentences import sentences

_MARKS: Final = re.compile(r"^(?:#{1,6}\s+|>\s+|[-*+•]\s+)+")
_SIGNS: Final = ",.。、;:!\"'“”‘’()\\[\\]《》〈〉「」『』【】…—·*_`|"
# All layout but one space between words, which most of it is.
_LAYOUT: Final = re.compile(
    rf"[\s{_SIGNS}]{{2,}}|[{_SIGNS}]|\s(?![0-9a-z])|(?<![0-9a-z])\s",
)
_PLAIN: Final = re.compile(r"[0-9a-z]")
_LABEL: Final = (
    "打印|导出|下载|生成|最后|更新|修改|发布|创建|制表|日期|时间|于|last|printed|exported|downloaded|generated|"
    "updated|modified|revised|published|created|retrieved|on|at|date|time"
)
_MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE: Final = rf"""
    \d{{4}}\s*[-/.年]\s*\d{{1,2}}\s*[-/.月]\s*\d{{1,2}}日?
  | {_MONTH}\.?\s\d{{1,2}},?\s\d{{4}} | \d{{1,2}}\s{_MONTH}\.?\s\d{{4}}
"""
_TIME: Final = r"[t\s,]*\d{1,2}:\d{2}(?::\d{2})?"
_PAGE: Final = r"""
    (?:page|p\.)\s*\d+(?:\s*(?:of|/)\s*\d+)? | 第\s*\d+\s*页(?:[,/\s]*共\s*\d+\s*页)? | -\s*\d+\s*-
"""
_STAMP: Final = re.compile(
    rf"[^\w-]*(?:(?:{_LABEL})\s*)*[^\w-]*(?:(?:{_DATE})(?:{_TIME})?|(?:{_PAGE}))[^\w-]*", re.VERBOSE
)
_LONGEST_STAMP: Final = 60
_YEAR: Final = re.compile(r"\d{4}")
_ENDER: Final = re.compile(r"[.!?。！？；;：:]\W*$")
_LONGEST_HEADER: Final = 40
_EDGE: Final = 2
"""Stamps are looked for in the first and the last two sentences or lines."""


@dataclass(frozen=True)
class Statements:
    """`said` holds every sentence without layout, case, width and punctuation between words.

    `headers` are those of them that may be a page's header or footer: a short first or last line without a number or a
    negation. Stamps at the edges (a date of printing, a page number) are left out; `years` are those of their dates.
    """

    said: frozenset[str]
    headers: frozenset[str]
    years: frozenset[str]


def statements(text: str) -> Statements:
    """Take a text apart. A text of nothing but stamps says them."""
    # Folded at once, one a line: folding costs more a call than a character, and cannot come before the splitting.
    pieces = fold("\n".join(" ".join(text[start:end].split()) for start, end in sentences(text))).split("\n")
    edge = {*range(_EDGE), *range(len(pieces) - _EDGE, len(pieces))}
    stamps = {n for n in edge if 0 <= n < len(pieces) and _is_stamp(pieces[n])}
    if len(stamps) == len(pieces):
        stamps = set()
    kept = [piece for n, piece in enumerate(pieces) if n not in stamps]
    return Statements(
        said=frozenset(words for piece in kept if (words := bare(piece))),
        headers=frozenset(bare(piece) for piece in _outermost(kept) if _is_header(piece)),
        years=frozenset(year for n in stamps for year in _YEAR.findall(pieces[n])),
    )


def bare(folded: str) -> str:
    """A folded sentence without layout. Signs that carry meaning stay: %, -, <, ?, and points inside numbers."""
    text = _MARKS.sub("", folded)
    return _LAYOUT.sub(lambda found: _between(text, found), text)


def _between(text: str, found: re.Match[str]) -> str:
    before, after = text[max(0, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]
    if before.isdigit() and after.isdigit() and found[0] in ".,:":
        return found[0]
    if found[0][-1:] == "." and after.isdigit():
        return " ."
    return " " if _PLAIN.match(before) and _PLAIN.match(after) else ""


def _outermost(pieces: list[str]) -> Iterator[str]:
    """First and last of several."""
    if len(pieces) > 1:
        yield from (pieces[0], pieces[-1])


def _is_stamp(piece: str) -> bool:
    return len(piece) <= _LONGEST_STAMP and _STAMP.fullmatch(piece) is not None


def _is_header(piece: str) -> bool:
    return (
        len(piece) <= _LONGEST_HEADER
        and not _ENDER.search(piece)
        and ":" not in piece
        and not numbers(piece)
        and not NEGATION.search(piece)
    )
