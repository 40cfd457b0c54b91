"""Did a rewritten text add what nobody said? Numbers, codes, Latin names and negation are checked by code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from text.negation import NEGATION
from text.normalise import fold
from text.numbers import definite_numbers, numbers

CODE: Final = re.compile(r"(?=[a-z0-9./_-]*\d)(?=[a-z0-9./_-]*[a-z])[a-z0-9]+(?:[./_-][a-z0-9]+)*")
"""A word of letters and digits, such as x200-pro or e1001."""
NAME: Final = re.compile(r"\b[A-Z][A-Za-z]+\b")
SENTENCE_START: Final = re.compile(r"(?:^|[.!?]\s+)[A-Z]")


def added(candidate: str, said: str) -> list[str]:
    """What `candidate` states that `said` (the question and the history) does not, in the candidate's own words."""
    known, known_numbers = _known(said)
    return [
        *(number for number in definite_numbers(candidate) if number not in known_numbers),
        *(code for code in CODE.findall(fold(candidate)) if code not in known),
        *(name for name in _names(candidate) if name.lower() not in known),
        *(NEGATION.findall(candidate)[:1] if not NEGATION.search(said) else []),
    ]


@lru_cache(maxsize=8)
def _known(said: str) -> tuple[str, frozenset[str]]:
    """What was said, folded, and its numbers: the same for every candidate of a round."""
    return fold(said), frozenset(numbers(said))


def _names(text: str) -> list[str]:
    """Capitalised Latin words; the first of a sentence may be an ordinary word and does not count."""
    starts = {match.end() - 1 for match in SENTENCE_START.finditer(text)}
    return [match.group() for match in NAME.finditer(text) if match.start() not in starts]
