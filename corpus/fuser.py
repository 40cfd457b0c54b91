"""From the lanes' answers to fused hits: exact scores for every candidate, then fusion, then no repeats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from context.retrieval import SearchRequest, Vectors
from corpus.lanes import keyword
from corpus.lanes.fusion import fuse
from corpus.lanes.match import Answers, RankedList
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from state import Doc, Fusion, Lane
from text.tokens import tokens

QueryVectors = Mapping[str, Vectors]
"""The vector of each query, shape (dimension,)."""

_Scores = Mapping[tuple[str, Lane], Mapping[int, float]]


@dataclass(frozen=True)
class Fusing:
    """How lists are fused, and what each lane counts unless a request says otherwise."""

    weights: Mapping[Lane, float]
    method: Fusion = "rrf"


EQUAL: Final = Fusing({"keyword": 1.0, "vector": 1.0})


class Fuser:
    """Asks the lanes once more, about the places that only the other lane found."""

    def __init__(self, fusing: Fusing, vectors: VectorLane | None) -> None:
        self._fusing = fusing
        self._vectors = vectors

    def docs(
        self, partition: Partition, request: SearchRequest, answers: Answers, vectors: QueryVectors | str
    ) -> list[Doc]:
        """The best `request.top_k` chunks without repeats."""
        lists = self.lists(partition, request, answers, vectors)
        return fuse(lists, partition.chunks, request.top_k, self._fusing.method)

    def lists(
        self, partition: Partition, request: SearchRequest, answers: Answers, vectors: QueryVectors | str
    ) -> list[RankedList]:
        """The lanes' lists, each with its exact score of every candidate; no cosines where there are no vectors."""
        weights = request.weights or self._fusing.weights
        elsewhere: _Scores = {}
        if self._fusing.method != "rrf":
            elsewhere = self._elsewhere(partition, answers, {} if isinstance(vectors, str) else vectors)
        lists = [
            RankedList(query, lane, weights.get(lane, 1.0), answer.matches, elsewhere.get((query, lane), {}))
            for (query, lane), answer in answers.items()
        ]
        return lists if len(request.lanes) == 1 else [*lists, *_of_codes(answers, max(weights.values(), default=1.0))]

    def _elsewhere(self, partition: Partition, answers: Answers, vectors: QueryVectors) -> _Scores:
        """What each lane that found something says of every candidate."""
        places = sorted({match.place for answer in answers.values() for match in answer.matches})
        scores: dict[tuple[str, Lane], Mapping[int, float]] = {}
        for (query, lane), answer in answers.items():
            if lane == "keyword" and answer.matches:
                exact = keyword.scores_at(partition.postings, tokens(query), places)
                scores[query, lane] = dict(zip(places, exact.tolist(), strict=True))
        asked = [query for (query, lane), answer in answers.items() if lane == "vector" and answer.matches]
        if self._vectors is not None and asked and vectors:
            rows = self._vectors.scores_at(partition, np.stack([vectors[query] for query in asked]), places)
            for query, row in zip(asked, rows.tolist(), strict=True):
                scores[query, "vector"] = dict(zip(places, row, strict=True))
        return scores


def _of_codes(answers: Answers, weight: float) -> Iterator[RankedList]:
    """What has the very code that a query names, at the weight of the heavier lane: vectors of V2.3.1 and V2.3.2 are as
    near to each other as to the question."""
    for (query, lane), answer in answers.items():
        if answer.named:
            yield RankedList(query, lane, weight, answer.named, shown=False)
