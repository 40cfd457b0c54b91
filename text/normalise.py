"""Text in one form: what the lanes compare, and what may be stored."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import opencc

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0d-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
"""What word processors make of the hyphen in X200-Pro, and the minus sign."""


def printable(text: str) -> str:
    """The text without control and invisible characters (breaks of lines and pages and tabs stay) or lone surrogates.

    Punctuation and widths stay as they were written: this is the form that is stored, shown and quoted.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    return _CONTROL.sub("", _SURROGATE.sub("\ufffd", text))


def clean(text: str) -> str:
    """`printable` text in Unicode form NFKC: full-width letters, ligatures and circled digits become plain ones.

    A page break becomes a line break.
    """
    return printable(unicodedata.normalize("NFKC", printable(text))).replace("\f", "\n")


def says_something(text: str) -> bool:
    """Whether there is anything in it to look for: a letter, a digit or a picture, not only marks and blanks."""
    return any(character.isalnum() or unicodedata.category(character) == "So" for character in clean(text))


def fold(text: str) -> str:
    """Clean text in lower case, simplified characters and plain hyphens: 電梯 and 电梯, X200 and x200 are the same."""
    return str(_to_simplified().convert(clean(clean(text).lower()))).translate(_HYPHENS)


@lru_cache(maxsize=1)
def _to_simplified() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")
