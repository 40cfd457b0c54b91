"""From the lanes' answers to fused hits: exact scores for every candidate, then fusion, then no repeats."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

import errors
from context import Passage, Principal, SearchRequest, Vectors
from corpus.embeddings.remembered import RememberedQueries
from corpus.lanes import keyword
from corpus.lanes.fusion import fuse
from corpus.lanes.match import Answers, RankedList
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from state import Doc, Fusion, Lane
from text.tokens import tokens

_log = logging.getLogger(__name__)

Read = Callable[[Sequence[str], Principal], Mapping[str, Passage]]
"""Passages by chunk_id, those that the principal may see."""

_Scores = Mapping[tuple[str, Lane], Mapping[int, float]]


@dataclass(frozen=True)
class Fusing:
    """How lists are fused, and what each lane counts unless a request says otherwise."""

    weights: Mapping[Lane, float]
    method: Fusion = "rrf"


EQUAL: Final = Fusing({"keyword": 1.0, "vector": 1.0})


class Fuser:
    """Asks the lanes once more, about the places that only the other lane found."""

    def __init__(
        self, fusing: Fusing, vectors: VectorLane | None, queries: RememberedQueries | None, read: Read
    ) -> None:
        self._fusing = fusing
        self._vectors = vectors
        self._queries = queries
        self._read = read

    async def docs(self, partition: Partition, request: SearchRequest, answers: Answers) -> list[Doc]:
        """The best `request.top_k` chunks without repeats."""
        lists = await self.lists(partition, request, answers)

        def read(chunk_ids: Sequence[str]) -> Mapping[str, Passage]:
            return self._read(chunk_ids, request.principal)

        return await asyncio.to_thread(fuse, lists, partition.chunks, request.top_k, self._fusing.method, read)

    async def lists(self, partition: Partition, request: SearchRequest, answers: Answers) -> list[RankedList]:
        """The lanes' lists, each with its exact score of every candidate."""
        weights = request.weights or self._fusing.weights
        elsewhere: _Scores = {}
        if self._fusing.method != "rrf":
            vectors = await self._query_vectors(answers)
            elsewhere = await asyncio.to_thread(self._elsewhere, partition, answers, vectors)
        return [
            RankedList(query, lane, weights.get(lane, 1.0), answer.matches, elsewhere.get((query, lane), {}))
            for (query, lane), answer in answers.items()
        ]

    async def _query_vectors(self, answers: Answers) -> dict[str, Vectors]:
        """The vectors of the queries that the vector lane answered; remembered, so that few are computed anew."""
        queries = [query for (query, lane), answer in answers.items() if lane == "vector" and answer.matches]
        if not queries or self._queries is None:
            return {}
        try:
            return dict(zip(queries, await self._queries.vectors(queries), strict=True))
        except errors.Unavailable:
            _log.warning("What only the keyword lane found has no cosine: the embedder failed")
            return {}

    def _elsewhere(self, partition: Partition, answers: Answers, vectors: Mapping[str, Vectors]) -> _Scores:
        """What each lane that found something says of every candidate."""
        places = sorted({match.place for answer in answers.values() for match in answer.matches})
        scores: dict[tuple[str, Lane], Mapping[int, float]] = {}
        for (query, lane), answer in answers.items():
            if lane == "keyword" and answer.matches:
                exact = keyword.scores_at(partition.postings, tokens(query), places)
                scores[query, lane] = dict(zip(places, exact.tolist(), strict=True))
        if vectors and self._vectors is not None:
            rows = self._vectors.scores_at(partition, np.stack(list(vectors.values())), places)
            for query, row in zip(vectors, rows.tolist(), strict=True):
                scores[query, "vector"] = dict(zip(places, row, strict=True))
        return scores
