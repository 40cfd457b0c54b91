"""Is a question that was made to stand alone still the one that was asked? By code; if not, the asker's words stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from policy.drift import added
from state import Turn

_ASIDE: Final = re.compile(
    r"^(?:不是?的?|不对|no|nope|not that)[，,。.!！\s]+"
    r"|第[一二三四五六七八九十\d]{1,3}(?=[个种项点])|\b(?:first|second|third|fourth|fifth|last)(?=\s+(?:one|option|point)s?\b)",
    re.IGNORECASE,
)
"""What points at the conversation (no, the second one): a question that stands alone says what was meant instead."""


def kept(question: str, proposed: str, history: Sequence[Turn]) -> str:
    """The proposed stand-alone question, if it loses no number, code, name or negation of the asker's and adds none.

    Without a history the question stands alone as it is.
    """
    if not history:
        return question
    said = "\n".join([question, *(turn[side] for turn in history for side in ("question", "standalone", "answer"))])
    faithful = proposed.strip() and not added(proposed, said) and not added(_ASIDE.sub(" ", question), proposed)
    return proposed.strip() if faithful else question
