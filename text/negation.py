"""Negation in Chinese and English, as far as single words show it."""

from __future__ import annotations

import re
from typing import Final

NEGATION: Final = re.compile(
    r"\b(?:not|no|never|without|nor|cannot|none)\b|n't\b|[不没無无未非勿莫]|禁止|严禁|拒绝", re.IGNORECASE
)
"""One negating word or character; some are part of a longer word (非常), so a match is a reason to be careful."""
