"""Windows-1252 told from all other encodings: by whether a writer of one western language could have written it.

Nearly any bytes are some text in Windows-1252. A real one has its few letters beyond ASCII inside words, all of one
language's alphabet, and its signs where punctuation stands. Czech, Polish, Turkish and Russian in their own encodings
come out as mixtures that no alphabet has; Chinese, Japanese and Korean as pairs of letters and signs in odd places.
"""

from __future__ import annotations

import re
from typing import Final

_ALPHABETS: Final = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "àâæçéèêëîïôœùûüÿñ",  # French
        "äöüßéèàáó",  # German
        "áéíñóúüç",  # Spanish
        "áâãàçéêíóôõúü",  # Portuguese
        "àèéìíîòóùú",  # Italian
        "áéëïíóöüèêç",  # Dutch
        "åäöéèüà",  # Swedish, Finnish
        "æøåéèòóôê",  # Danish, Norwegian
        "àçéèíïòóúü",  # Catalan
    )
)
_F: Final = "À-ÖØ-öø-ÿŒœŸ"
_WORD: Final = re.compile(rf"[A-Za-z{_F}]*[{_F}][A-Za-z{_F}]*")
_ALONE: Final = frozenset("àÀéÉèÈóÓòÒêÅåöÖ")
"""Letters beyond ASCII that are words."""
_PAIR: Final = re.compile(rf"[{_F}]{{2,}}")
_PAIRS: Final = frozenset({"çã", "çõ", "éé", "ää", "öö", "äö", "öä", "åå", "üü", "óó", "öß", "üß", "äß", "ßü"})
_ONLY_FIRST: Final = re.compile(r"[^À-ÖØ-Þ]*|[À-ÖØ-Þ][^À-ÖØ-Þ]*|[A-ZÀ-ÖØ-ÞŒŸ]+")
"""No capitals, or one in front, or all of them."""

_SIGN: Final = re.compile(rf"[^\x00-\x7f{_F}]")
_IN_PLACE: Final = re.compile(
    rf"""
    (?<![A-Za-z0-9{_F}])[“„‘‚«‹¿¡](?=[A-Za-z0-9{_F}\s“„‘‚«¿¡(])
  | (?<=[^\s{_F}])[”»›](?![A-Za-z0-9{_F}]) | (?<=[A-Za-z{_F}][{_F}])[”»›](?![A-Za-z0-9{_F}])
  | (?<=[a-z.,!?])“(?![A-Za-z0-9{_F}]) | (?<=\s)[»›](?=\s|$)
  | (?<=[A-Za-z0-9{_F}.,!?])’(?![{_F}]) | (?:\b[A-Za-z]{{1,2}}|qu|ll|un)’(?=[A-Za-z{_F}]) | (?<=\s)’(?=[0-9a-z])
  | (?<=[A-Za-z0-9\s.,)])[–—…](?=[A-Za-z0-9\s.,)“”»’]|$) | (?<=[”»’{_F}])[–—…](?=\s|$)
  | (?<![A-Za-z0-9{_F}])[•·](?=\s) | (?<=[lL])·(?=[lL])
  | (?<=[\d\s])[€£](?=\s|\W|$) | (?<![A-Za-z{_F}])[€£](?=\s?\d)
  | (?<![A-Za-z0-9{_F}])§(?=[§\s\d]) | (?<![{_F}])[©®™](?=[\s\d.,;)]|$)
  | (?<=[\d.])[ªº] | (?<=[\d\snN])°(?=[\sCF.,;)\d]|$) | \xa0
    """,
    re.VERBOSE,
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_LEAST_PLAIN: Final = 12
"""ASCII letters, under which there is no evidence of words."""
_LARGEST_SHARE: Final = 0.3
"""Letters beyond ASCII among all letters; French prose has about .04, other scripts nearly 1."""
_OWN: Final = 0.98
"""Least share of them in one alphabet: a text may name a person of another country."""


def western(data: bytes) -> str | None:
    """The text, None unless it is plainly Windows-1252 of a western language."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    if _CONTROL.search(text) or len(_SIGN.findall(text)) != sum(map(_signs, _IN_PLACE.findall(text))):
        return None
    words = _WORD.findall(text)
    return text if all(map(_is_word, words)) and _is_of_one_language("".join(words), text) else None


def _signs(found: str) -> int:
    return len(_SIGN.findall(found))


def _is_word(word: str) -> bool:
    if len(word) == 1:
        return word in _ALONE
    pairs = all(pair.lower() in _PAIRS for pair in _PAIR.findall(word))
    return pairs and word.translate(_ASCII_GONE) != word and _ONLY_FIRST.fullmatch(word) is not None


_ASCII_GONE: Final = dict.fromkeys(range(128))


def _is_of_one_language(words: str, text: str) -> bool:
    plain = sum(char.isascii() and char.isalpha() for char in text)
    foreign = words.translate(_ASCII_GONE)
    own = max(sum(char in alphabet for char in foreign) for alphabet in _ALPHABETS)
    share = len(foreign) / max(plain + len(foreign), 1)
    return plain >= _LEAST_PLAIN and share <= _LARGEST_SHARE and own >= _OWN * len(foreign)
