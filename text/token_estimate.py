"""How many tokens a text may cost, without a tokenizer: those of most models would have to be downloaded."""

from __future__ import annotations

import math
import re
from typing import Final

PER_WIDE_CHARACTER: Final = 0.6
PER_OTHER_CHARACTER: Final = 0.3
"""Tokens a character of Chinese and of English, as https://api-docs.deepseek.com/quick_start/token_usage gives them."""

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a text: 0 for an empty one, rounded up."""
    wide = len(_WIDE.findall(text))
    return math.ceil(wide * PER_WIDE_CHARACTER + (len(text) - wide) * PER_OTHER_CHARACTER)
