"""jieba without its side effects: no shared cache file, no log lines, no warnings from its sources."""

from __future__ import annotations

import logging
import threading
import warnings
from importlib.resources import files
from typing import Any

with warnings.catch_warnings():
    # Invalid escapes in jieba's own sources, and pkg_resources where setuptools still has it.
    warnings.simplefilter("ignore")
    import jieba

jieba.default_logger.removeHandler(jieba.log_console)
jieba.setLogLevel(logging.WARNING)

_lock = threading.Lock()
_ready: Any = None


def segment(text: str) -> list[str]:
    """Words of Chinese text, and the shorter dictionary words inside them (jieba's search mode)."""
    return list(_tokenizer().cut_for_search(text))


def _tokenizer() -> Any:
    """The one tokenizer, built at first use: about half a second."""
    global _ready
    if _ready is None:
        with _lock:
            if _ready is None:
                _ready = _build()
    return _ready


def _build() -> Any:
    # `Tokenizer.initialize` would read and write a cache file in the shared temporary folder.
    tokenizer = jieba.Tokenizer()
    with (files("jieba") / "dict.txt").open("rb") as dictionary:
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)
    tokenizer.initialized = True
    return tokenizer
