"""Did a rewritten text add what nobody said? Numbers, codes, names and negations are checked by code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from text.identifiers import identifiers
from text.names import names as names_in
from text.negation import negations
from text.normalise import fold
from text.quantities import unfounded

CODE: Final = re.compile(r"(?=[a-z0-9./_-]*\d)(?=[a-z0-9./_-]*[a-z])[a-z0-9]+(?:[./_-][a-z0-9]+)*")
"""A word of letters and digits, such as x200-pro or e1001."""


def added(candidate: str, said: str, *, names: str = "") -> list[str]:
    """What `candidate` states that `said` (the question and the history) does not, in the candidate's own words.

    `names` is a text whose names may be said too.
    """
    known = _known(said)
    return [
        *unfounded(candidate, [said]),
        *(code for code in CODE.findall(fold(candidate)) if code not in known and not _spelt_otherwise(code, said)),
        *(name for name in names_in(candidate) if name.lower() not in known and name.lower() not in _known(names)),
        *(denied.sign + denied.word for denied in negations(candidate) if not any(map(denied.same, negations(said)))),
    ]


def _spelt_otherwise(code: str, said: str) -> bool:
    """Whether what was said names the same code in another spelling: X200 Pro is X200-Pro, and X200 is neither."""
    keys = {one.key for one in identifiers(code)}
    return bool(keys) and keys <= {one.key for one in identifiers(said)}


@lru_cache(maxsize=8)
def _known(said: str) -> str:
    """What was said, folded: the same for every candidate of a round."""
    return fold(said)
