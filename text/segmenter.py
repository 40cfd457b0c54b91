"""jieba without its side effects: no shared cache file, no log lines, no warnings from its sources."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

with warnings.catch_warnings():
    # Invalid escapes in jieba's own sources, and pkg_resources where setuptools still has it.
    warnings.simplefilter("ignore")
    import jieba

jieba.default_logger.removeHandler(jieba.log_console)
jieba.setLogLevel(logging.WARNING)


class Segmenter:
    """Cuts Chinese text into words; `words` are known beside jieba's own, each with its frequency or None."""

    def __init__(self, words: Mapping[str, int | None] | None = None) -> None:
        self._words = dict(words or {})
        self._lock = threading.Lock()
        self._tokenizer: Any = None

    def segment(self, text: str) -> list[str]:
        """Words of Chinese text, and the shorter dictionary words inside them (jieba's search mode)."""
        return list(self._ready().cut_for_search(text))

    def knows(self, word: str) -> bool:
        """Whether the dictionary lists the word."""
        return bool(self._ready().FREQ.get(word))

    def _ready(self) -> Any:
        """The tokenizer, built at first use: about half a second."""
        if self._tokenizer is None:
            with self._lock:
                if self._tokenizer is None:
                    self._tokenizer = self._build()
        return self._tokenizer

    def _build(self) -> Any:
        # `Tokenizer.initialize` would read and write a cache file in the shared temporary folder.
        tokenizer = jieba.Tokenizer()
        with (files("jieba") / "dict.txt").open("rb") as dictionary:
            tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)
        tokenizer.initialized = True
        for word, frequency in self._words.items():
            # At least what keeps the word whole where it stands alone: a lower figure would have no effect.
            tokenizer.add_word(word, max(frequency or 1, tokenizer.suggest_freq(word)))
        return tokenizer
