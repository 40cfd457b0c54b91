"""The tokens of the keyword lane: words, and codes that stay whole beside their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from text.codes import ALONE, CODE, code_words
from text.dictionary import Dictionary
from text.identifiers import identifiers
from text.normalise import fold
from text.numbers import normalise_numbers
from text.phrases import Phrases
from text.scripts import CJK
from text.segmenter import Segmenter
from text.stems import stem

RULES: Final = 2
"""Raised whenever the same text would give other tokens, so that stored counts are known to be old."""

_DIGITS: Final = r"\d{1,4000}"
"""Python reads no number of more than 4,300."""
_PIECE: Final = re.compile(
    rf"(?P<article>第\s*(?P<number>{_DIGITS})\s*(?P<unit>条|章|节|款|项|编|部分|号|页|期|届|版|次)(?:之(?P<sub>[一二三四五六七八九十\d]))?)"
    rf"|(?P<issue>[(\[〔【]\s*(?P<year>(?:19|20)\d\d)\s*[)\]〕】]\s*第?\s*(?P<serial>{_DIGITS})\s*号)"
    rf"|(?P<code>{CODE})"
    rf"|(?P<han>(?:(?![〔【])[{CJK}])+)"
)
_MAY_NAME: Final = re.compile(r"\d|第")
"""Without one of these there is no code: looking closely takes as long as cutting the text."""


@dataclass(frozen=True)
class _Vocabulary:
    """What a dictionary makes of a text."""

    segmenter: Segmenter
    phrases: Phrases
    digest: str


_plain: Final = _Vocabulary(Segmenter(), Phrases(()), "")
_present = _plain


def use(dictionary: Dictionary) -> None:
    """From now on every text of this process is cut with these words beside the built-in ones."""
    global _present
    segmenter = Segmenter(dictionary.words) if dictionary.words else _plain.segmenter
    _present = _Vocabulary(segmenter, Phrases(dictionary.phrases), dictionary.digest())


def fingerprint() -> str:
    """Changes whenever the same text would give other tokens: by the rules, or by the dictionary in use."""
    return f"{RULES}-{_present.digest}" if _present.digest else str(RULES)


def tokens(text: str) -> list[str]:
    """Tokens in order, repeats kept. Other widths, cases, scripts, numerals or endings of a word give the same."""
    return [stem(word) for word in _words(text, _present)]


def named_codes(text: str) -> list[str]:
    """The tokens that stand for the codes which a text names, whole: of X200-Pro neither x200 nor pro."""
    if not _MAY_NAME.search(text):
        return []
    return list(dict.fromkeys(tokens(one.whole)[0] for one in identifiers(text)))


def content_tokens(text: str) -> list[str]:
    """`tokens` without function words (的, 谁, of, what): those that say what a text is about."""
    return [stem(word) for word in content_words(text)]


def content_words(text: str) -> list[str]:
    """`content_tokens` before their endings are taken off: words that can be shown, and searched for."""
    stop = function_words()
    return [word for word in _words(text, _present) if word not in stop and not word.endswith(ALONE)]


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Words of Chinese and English that say nothing about a subject."""
    return frozenset((files("text") / "function_words.txt").read_text("utf-8").split())


def is_word(text: str) -> bool:
    """Whether jieba's dictionary lists it as a word."""
    return _plain.segmenter.knows(text)


def _words(text: str, vocabulary: _Vocabulary) -> list[str]:
    folded = normalise_numbers(fold(text.replace("，", "、")))  # 1，000 is not a number, 1,000 is
    words = [word for piece in _PIECE.finditer(folded) for word in _words_of(piece, vocabulary.segmenter)]
    known = set(words)
    return words + [entry for entry in vocabulary.phrases.find(folded) if entry not in known]


def _words_of(piece: re.Match[str], segmenter: Segmenter) -> Iterator[str]:
    if piece["article"]:
        yield from _article(piece["number"], piece["unit"], piece["sub"])
    elif piece["issue"]:
        yield from (f"〔{piece['year']}〕{int(piece['serial'])}号", piece["year"], piece["serial"])
    elif piece["code"]:
        yield from code_words(piece["code"])
    else:
        yield from (word for word in segmenter.segment(piece["han"]) if any(c.isalnum() for c in word))


def _article(number: str, unit: str, sub: str | None) -> Iterator[str]:
    whole = f"第{int(number)}{unit}"
    yield whole
    if sub:
        yield f"{whole}之{normalise_numbers(f'第{sub}条')[1:-1]}"
    yield str(int(number))
