"""Did a rewritten text add what nobody said? Numbers, codes, Latin names and negations are checked by code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from text.months import MONTH_NAME
from text.negation import negations
from text.normalise import fold
from text.quantities import unfounded

CODE: Final = re.compile(r"(?=[a-z0-9./_-]*\d)(?=[a-z0-9./_-]*[a-z])[a-z0-9]+(?:[./_-][a-z0-9]+)*")
"""A word of letters and digits, such as x200-pro or e1001."""
NAME: Final = re.compile(r"\b[A-Z][A-Za-z]+\b")
MONTH: Final = re.compile(MONTH_NAME)
"""No name: a date in digits may say the same month."""
SENTENCE_START: Final = re.compile(r"(?:^|[.!?]\s+)[A-Z]")


def added(candidate: str, said: str) -> list[str]:
    """What `candidate` states that `said` (the question and the history) does not, in the candidate's own words."""
    known = _known(said)
    return [
        *unfounded(candidate, [said]),
        *(code for code in CODE.findall(fold(candidate)) if code not in known),
        *(name for name in _names(candidate) if name.lower() not in known),
        *(denied.sign + denied.word for denied in negations(candidate) if not any(map(denied.same, negations(said)))),
    ]


@lru_cache(maxsize=8)
def _known(said: str) -> str:
    """What was said, folded: the same for every candidate of a round."""
    return fold(said)


def _names(text: str) -> list[str]:
    """Capitalised Latin words; the first of a sentence may be an ordinary word and does not count."""
    starts = {match.end() - 1 for match in SENTENCE_START.finditer(text)}
    names = [match.group() for match in NAME.finditer(text) if match.start() not in starts]
    return [name for name in names if not MONTH.fullmatch(name)]
