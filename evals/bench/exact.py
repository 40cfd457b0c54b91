"""The reference: every vector compared, `rank_bm25` over every piece, plain reciprocal rank fusion."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from evals.bench.contender import DEPTH, Loaded, fused


class Exact:
    """Answers by id, to compare with; its own time is of no interest."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._ids = [piece.id for piece in loaded.pieces]
        self._tenths = np.array([piece.tenth for piece in loaded.pieces])

    @cached_property
    def okapi(self) -> BM25Okapi:
        """Built when first asked for: it takes half a minute over 100,000 pieces."""
        return BM25Okapi([self._loaded.tokenise(piece.indexed) for piece in self._loaded.pieces])

    def scores(self, question: str) -> dict[str, float]:
        """`BM25Okapi.get_scores` by id."""
        return dict(zip(self._ids, self.okapi.get_scores(self._loaded.tokenise(question)).tolist(), strict=True))

    def words(self, question: str) -> list[str]:
        """The best pieces of `rank_bm25`, as its users sort them."""
        scores = self.okapi.get_scores(self._loaded.tokenise(question))
        return [self._ids[place] for place in np.argsort(-scores)[:DEPTH]]

    def nearest(self, question: str, depth: int) -> list[str]:
        """The nearest pieces by cosine."""
        return [self._ids[place] for place in _best(self._cosines(question), depth)]

    def search(self, question: str, tenth: int | None) -> list[str]:
        """The best ten of both lanes, fused with equal weights."""
        allowed = np.ones(len(self._ids), np.bool_) if tenth is None else self._tenths == tenth
        words = self.okapi.get_scores(self._loaded.tokenise(question))
        lanes = (
            _best(np.where(allowed & (words > 0), words, -np.inf), DEPTH),
            _best(np.where(allowed, self._cosines(question), -np.inf), DEPTH),
        )
        return [self._ids[place] for place in fused(lanes)]

    def _cosines(self, question: str) -> NDArray[np.float64]:
        return np.asarray(self._loaded.vectors @ self._loaded.question_vectors[question], np.float64)


def _best(scores: NDArray[np.float64], depth: int) -> list[int]:
    order = np.argsort(-scores, kind="stable")[:depth]
    return [int(place) for place in order if np.isfinite(scores[place])]
