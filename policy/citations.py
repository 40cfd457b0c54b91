"""Citation markers in an answer: which numbers stand there, which are real, and to which sentence they belong."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Final

from text.citing import MARKERS, each_marker
from text.sentences import sentences

_UNFINISHED: Final = re.compile(r"[\[［【〔][\d\s,，、;；:^–—~～-]*(?:†[^\]］】〕\n]{0,60})?$")
_RANGE: Final = re.compile(r"(\d+)\s*[–—~～-]\s*\^?(\d+)")
_SAME: Final = 12
"""A marker behind so many letters and digits that stand before the same one in a source was copied from there."""
_SAME_AT_LEAST: Final = 4
_NONE: Final = "\0"
"""Stands for a marker without a real number until it goes, with the space before it."""


def checked(sentence: str, numbers: Collection[int]) -> tuple[str, list[int]]:
    """The sentence with its markers written `[1][3]` and unknown numbers removed, and the numbers it cites in order.

    Markers inside backticks are code and stay as they are.
    """
    cited: list[int] = []

    def rewrite(match: re.Match[str]) -> str:
        known = [n for n in _named(match.group()) if n in numbers]
        cited.extend(known)
        return "".join(f"[{n}]" for n in known) or _NONE

    text = each_marker(sentence, rewrite).replace(f" {_NONE}", "").replace(_NONE, "")
    return text, list(dict.fromkeys(cited))


def copied(sentence: str, sources: Mapping[int, str]) -> set[int]:
    """The numbers in a sentence that were taken over from the text of a source, where they mean something else."""
    found = _behind(sentence)
    return {n for number, source in sources.items() for n, words in found & _behind(source) if n != number}


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


def _behind(text: str) -> set[tuple[int, str]]:
    """Each number in a marker, with the letters and digits before it."""
    found = set()
    for match in MARKERS.finditer(text):
        before = "".join(filter(str.isalnum, MARKERS.sub("", text[: match.start()]).lower()))[-_SAME:]
        found |= {(n, before) for n in _named(match.group()) if len(before) >= _SAME_AT_LEAST}
    return found


def _named(marker: str) -> list[int]:
    """The numbers of a marker in order, a range with all between its ends."""
    bare = re.sub(r"†[^\]］】〕]*|:\d+", "", marker)
    written = _RANGE.sub(lambda ends: ",".join(map(str, range(int(ends[1]), int(ends[2]) + 1))), bare)
    return [int(number) for number in re.findall(r"\d+", written)]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
