"""The tokens of the keyword lane: words, and codes that stay whole beside their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final

from text.normalise import fold
from text.numbers import normalise_numbers
from text.segmenter import segment

RULES: Final = 1
"""Raised whenever the same text would give other tokens, so that stored counts are known to be old."""

_CJK: Final = "\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = rf"[^\W_{_CJK}]+"
_CODE: Final = rf"{_WORD}(?:(?:[-_/]|\.(?=\d)){_WORD})*(?:\+\+|\#)?"
_STANDARD: Final = r"(?:[a-z]{1,6}/[a-z]{1,3}|gb|gbz|jgj|tsg|cjj?|db\d{2}|iso|iec|ieee|astm|din)\s(?=\d)"
_PIECE: Final = re.compile(
    rf"(?P<article>第\s*(?P<number>\d+)\s*(?P<unit>条|章|节|款|项|编|部分|号|页|期|届|版)(?:之(?P<sub>[一二三四五六七八九十\d]))?)"
    rf"|(?P<code>(?:(?<![^\W_])(?:{_STANDARD}))?{_CODE})"
    rf"|(?P<han>[{_CJK}]+)"
)
_PART: Final = re.compile(_WORD)
_LONGEST_CODE: Final = 60


def tokens(text: str) -> list[str]:
    """Tokens in order, repeats kept. Other widths, cases, scripts or numerals of a text give the same tokens."""
    folded = normalise_numbers(fold(text.replace("，", "、")))
    return [token for piece in _PIECE.finditer(folded) for token in _tokens_of(piece)]


def content_tokens(text: str) -> list[str]:
    """`tokens` without function words (的, 谁, of, what): those that say what a text is about."""
    stop = function_words()
    return [token for token in tokens(text) if token not in stop]


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Words of Chinese and English that say nothing about a subject, as `tokens` writes them."""
    return frozenset((files("text") / "function_words.txt").read_text("utf-8").split())


def _tokens_of(piece: re.Match[str]) -> Iterator[str]:
    if piece["article"]:
        yield from _article(piece["number"], piece["unit"], piece["sub"])
    elif piece["code"]:
        yield from _code(piece["code"])
    else:
        yield from (word for word in segment(piece["han"]) if any(c.isalnum() for c in word))


def _article(number: str, unit: str, sub: str | None) -> Iterator[str]:
    whole = f"第{int(number)}{unit}"
    yield whole
    if sub:
        yield f"{whole}之{normalise_numbers(f'第{sub}条')[1:-1]}"
    yield str(int(number))


def _code(code: str) -> Iterator[str]:
    whole = "".join(code.split())
    parts = _PART.findall(code)
    if [whole] != parts and len(whole) <= _LONGEST_CODE:
        yield whole
    yield from parts
