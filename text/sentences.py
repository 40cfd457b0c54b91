"""Sentences of Chinese and English text as spans, so that a quote can always be found again in its text."""

from __future__ import annotations

import re
from typing import Final

_HAN: Final = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CLOSERS: Final = "[”’」』）)】》〉\"'\\]]*"
_END: Final = re.compile(
    rf"""
    (?P<full>[。！？；｡]+|…{{2,}}|…(?=\s|$)){_CLOSERS}        # full-width: always the end
  | (?P<half>[.!?]+){_CLOSERS}(?=\s|$|[{_HAN}])              # half-width: before white space or Chinese
  | (?<=[{_HAN}]);                                           # NFKC makes this of ；
  | (?P<line>(?<![^\S\n])[^\S\n]*\n\s*)
    """,
    re.VERBOSE,
)
_RULE: Final = re.compile(r"[\s|:+=-]*[-=]{2}[\s|:+=-]*")
_HAN_LETTER: Final = re.compile(f"[{_HAN}]")
_WORD_BEFORE: Final = re.compile(r"[A-Za-z][A-Za-z.]*$")
_ABBREVIATED: Final = """
mr mrs ms dr prof st vs etc e.g i.e cf al no nos art arts sec fig figs vol ed eds pp p inc ltd co corp dept approx
jan feb mar apr jun jul aug sep sept oct nov dec u.s u.k a.m p.m
"""
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())
_WRAP: Final = 50
"""A line at least this long whose next line goes on with a word was wrapped, not ended."""


def sentences(text: str) -> list[tuple[int, int]]:
    """Spans `(start, end)` in order, without overlap, stripped, never blank; only white space lies between them."""
    spans = []
    start = 0
    for match in _END.finditer(text):
        if _ends(text, start, match):
            spans.append((start, match.end()))
            start = match.end()
    spans.append((start, len(text)))
    return [span for raw in spans if (span := _strip(text, *raw))]


def stated(text: str) -> list[tuple[int, int]]:
    """The sentences that say something: not a rule, as below the header of a table."""
    return [(start, end) for start, end in sentences(text) if not _RULE.fullmatch(text, start, end)]


def _strip(text: str, start: int, end: int) -> tuple[int, int] | None:
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    if match["line"] is not None:
        return not _is_wrapped(text, start, match)
    return match["half"] != "." or not _is_abbreviation(text, match)


def _is_abbreviation(text: str, match: re.Match[str]) -> bool:
    word = _WORD_BEFORE.search(text, max(0, match.start() - 20), match.start())
    following = text[match.end() : match.end() + 2].strip()[:1]
    if following.islower():
        return True
    if word is None:
        return _is_list_number(text, match.start())
    return word[0].lower() in _ABBREVIATIONS or (len(word[0]) == 1 and word[0].isupper())


def _is_list_number(text: str, end: int) -> bool:
    """Whether the dot belongs to '12.' at the start of a line."""
    near = max(0, end - 8)
    line = text[text.rfind("\n", near, end) + 1 or near : end].strip()
    return line.isdigit() and len(line) <= 3


def _is_wrapped(text: str, start: int, match: re.Match[str]) -> bool:
    if match["line"].count("\n") > 1:
        return False
    line = text[max(start, text.rfind("\n", start, match.start()) + 1) : match.start()]
    following = text[match.end() : match.end() + 1]
    if not following or not line or _HAN_LETTER.match(line[-1]) or _HAN_LETTER.match(following):
        return False
    return following.islower() or (len(line) >= _WRAP and following.isalnum())
