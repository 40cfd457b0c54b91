"""English words by their stem, so that `lifts`, `lift` and `lifting` are one token."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Final

from snowballstemmer.english_stemmer import EnglishStemmer

_WORD: Final = re.compile(r"[a-z]{3,}")
_WORDS_KEPT: Final = 100_000
_lock = threading.Lock()
_stemmer = EnglishStemmer()


def stem(word: str) -> str:
    """The Snowball English stem of a word in lower case; anything but plain letters stays as it is."""
    return _stem(word) if _WORD.fullmatch(word) else word


@lru_cache(maxsize=_WORDS_KEPT)
def _stem(word: str) -> str:
    with _lock:  # the stemmer works in its own fields
        return str(_stemmer.stemWord(word))
