"""A prototype with nothing but the two lanes and their fusion: how much of a search's time is what surrounds them.

It holds everything ready in memory, gains of terms included. It knows no access, no change, no repeats, no provenance
and no store, and its vector lane is not exact.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from corpus.lanes.top import promising
from corpus.segments.quantised import Quantised, QuantisedQuery
from corpus.segments.texts import Places
from evals.bench.contender import DEPTH, Found, Loaded, fused

NAME: Final = "bare prototype"
NOTE: Final = "arrays in memory, the tokens and text of Gapseek, and nothing else of it"

_Column = tuple[Places, NDArray[np.float64]]


class Bare:
    name = NAME
    note = NOTE

    def __init__(self, loaded: Loaded, okapi: BM25Okapi) -> None:
        self._loaded = loaded
        self._columns = _columns(okapi)
        self._quantised = Quantised.of(loaded.vectors)
        self._tenths = np.array([piece.tenth for piece in loaded.pieces])

    def search(self, question: str, tenth: int | None) -> list[Found]:
        allowed = None if tenth is None else self._tenths == tenth
        scores = (self._words(question), self._vectors(question))
        lanes = [_best(one if allowed is None else np.where(allowed, one, -np.inf)) for one in scores]
        pieces = [self._loaded.pieces[place] for place in fused(lanes)]
        return [(piece.id, piece.text) for piece in pieces]

    def _words(self, question: str) -> NDArray[np.float64]:
        size = len(self._loaded.pieces)
        found = [self._columns[token] for token in self._loaded.tokenise(question) if token in self._columns]
        if not found:
            return np.zeros(size)
        places, gains = (np.concatenate(column) for column in zip(*found, strict=True))
        return np.bincount(places, gains, size).astype(np.float64, copy=False)

    def _vectors(self, question: str) -> NDArray[np.float32]:
        return self._quantised.products(QuantisedQuery.of(self._loaded.question_vectors[question]))


def _best(scores: NDArray[Any]) -> list[int]:
    places = promising(scores, min(DEPTH, len(scores)))
    order: list[int] = places[np.argsort(-scores[places])].tolist()
    return order


def _columns(okapi: BM25Okapi) -> dict[str, _Column]:
    """By token the pieces that have it, and what each gains."""
    rows: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for place, (counts, length) in enumerate(zip(okapi.doc_freqs, okapi.doc_len, strict=True)):
        penalty = okapi.k1 * (1 - okapi.b + okapi.b * length / okapi.avgdl)
        for token, count in counts.items():
            rows[token].append((place, okapi.idf[token] * count * (okapi.k1 + 1) / (count + penalty)))
    return {token: (np.array([p for p, _ in of]), np.array([gain for _, gain in of])) for token, of in rows.items()}
