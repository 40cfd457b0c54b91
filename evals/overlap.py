"""How far an answer says what was wanted: by its units, which are words, and characters where words have no gaps."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from policy.citations import without_markers
from text.normalise import fold
from text.scripts import CJK

_UNIT: Final = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
_GAPS: Final = str.maketrans(dict.fromkeys("、，。；？！（）《》「」『』", " "))
_ARTICLES: Final = frozenset({"a", "an", "the"})


def units(text: str) -> list[str]:
    """The text's units without case, punctuation, symbols, citation markers and English articles.

    As SQuAD's evaluation does it (Rajpurkar et al., 2016), and CMRC 2018's (Cui et al., 2019) for Chinese characters
    and marks, which part what stands beside them: 12:00、14:00 are two units.
    """
    plain = "".join(c for c in fold(without_markers(text).translate(_GAPS)) if unicodedata.category(c)[0] not in "PS")
    return [unit for unit in _UNIT.findall(plain) if unit not in _ARTICLES]


def contains(answer: str, wording: str) -> bool:
    """Whether the units of the wording stand in the answer, in a row: 14 does not stand in 2014."""
    said, wanted = units(answer), units(wording)
    places = range(len(said) - len(wanted) + 1)
    return bool(wanted) and any(said[place : place + len(wanted)] == wanted for place in places)


def point_recall(answer: str, points: Sequence[Iterable[str]]) -> float:
    """The share of the points of which one wording at least stands in the answer; there must be a point."""
    return sum(any(contains(answer, wording) for wording in point) for point in points) / len(points)


def token_f1(answer: str, references: Iterable[str]) -> float:
    """The harmonic mean of precision and recall over shared units, with the reference where it is highest."""
    return max((_f1(Counter(units(answer)), Counter(units(reference))) for reference in references), default=0.0)


def exact_match(answer: str, references: Iterable[str]) -> bool:
    """Whether the answer is one of the references, unit by unit: SQuAD's EM."""
    return any(units(answer) == units(reference) for reference in references)


def _f1(said: Counter[str], wanted: Counter[str]) -> float:
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total()) if shared else 0.0
