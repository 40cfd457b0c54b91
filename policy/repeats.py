"""Is a query a repeat? What differs from one only in case, width, script, spaces, punctuation or word order is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from text.normalise import fold
from text.tokens import tokens

_BETWEEN: Final = re.compile(r"(?<!\d)[\W_]+|[\W_]+(?!\d)")
"""Spaces and punctuation, but not those between digits: 1.5 is not 15."""


class Repeats:
    """The queries so far."""

    def __init__(self, queries: Iterable[str]) -> None:
        self._keys = {key for query in queries for key in _keys(query)}

    def adds(self, query: str) -> bool:
        """Whether the query says something, and none before it said the same; from now on it is one of them."""
        keys = _keys(query)
        if not keys or keys & self._keys:
            return False
        self._keys |= keys
        return True


def _keys(query: str) -> set[str]:
    """Its letters, and its words in any order: with the same words a lane finds the same."""
    return {key for key in (_BETWEEN.sub("", fold(query)), " ".join(sorted(tokens(query)))) if key}
