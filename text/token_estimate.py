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
    estimate = wide * PER_WIDE_CHARACTER + (len(text) - wide) * PER_OTHER_CHARACTER
    return math.ceil(round(estimate, 6))  # .6 and .3 are no binary fractions: the sum may lie just above a whole number


def beginning(text: str, most: int) -> str:
    """The text as far as it surely has at most so many tokens, where the estimate above is only a mean.

    A token a Chinese character, as BERT's vocabularies have it, and one for two others.
    """
    if len(text) <= most:
        return text
    left = 2 * most
    for place, char in enumerate(text):
        left -= 2 if _WIDE.match(char) else 1
        if left < 0:
            return text[:place]
    return text
