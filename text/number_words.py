"""Numbers that English writes in words: thirty-one is 31, ten thousand is 10000."""

from __future__ import annotations

import re
from typing import Final

_UNDER_20: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_ONES: Final = _UNDER_20.split()
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL: Final = {word: n for n, word in enumerate(_ONES)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
_LARGE: Final = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

_BELOW_100: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_ONES[1:10])})\b)?|(?:{'|'.join(_ONES)}))\b"
_BELOW_1000: Final = rf"(?:(?:{_BELOW_100} |\ba )hundred\b(?: (?:and )?{_BELOW_100})?|{_BELOW_100})"
_SCALE: Final = f"(?:{'|'.join(_LARGE)})s?\\b"
_NUMBER: Final = re.compile(
    rf"\b(?:{_BELOW_1000}|a(?= {_SCALE}))(?: {_SCALE}(?: (?:and )?{_BELOW_1000})?)*", re.IGNORECASE
)
_WORD: Final = re.compile("|".join([*_TENS, *reversed(_ONES), "hundred", *_LARGE]))


def words_to_digits(text: str) -> str:
    """The text with English number words in digits; everything else stays as it is."""
    return _NUMBER.sub(lambda match: str(_value(match.group().lower())), text)


def _value(words: str) -> int:
    total = section = 0
    for word in _WORD.findall(words):
        if word in _LARGE:
            total, section = total + (section or 1) * _LARGE[word], 0
        elif word == "hundred":
            section = (section or 1) * 100
        else:
            section += _SMALL[word]
    return total + section
