"""The vector lane: the nearest chunks of a partition, exactly the nearest when a mask leaves only some."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import errors
from context import Vectors
from corpus.documents import digest
from corpus.embeddings.common import without
from corpus.lanes.chroma import Chroma
from corpus.lanes.match import Mask, Match
from corpus.partition import Partition
from corpus.store.vectors import VectorTable

_log = logging.getLogger(__name__)


class VectorLane:
    """Chroma for searches over everything; under a mask every allowed vector is compared, because an approximate
    graph loses neighbours when most of its points are forbidden."""

    def __init__(self, folder: Path, embedder: str, table: VectorTable, common: Vectors | None = None) -> None:
        self._place = folder, embedder if common is None else f"{embedder}\n{digest(common.tobytes().hex())}"
        self._table = table
        self._common = common
        self._lock = threading.Lock()
        self._may_rebuild = True
        self._synced: dict[str, int] = {}
        self._matrix: tuple[Partition, Vectors] | None = None
        try:
            self._chroma = Chroma(*self._place)
        except errors.Unavailable:
            self._rebuild()

    def sync(self, partition: Partition) -> None:
        """Bring the collection up to the partition's generation. Raises `errors.Unavailable`."""
        with self._lock:
            if self._synced.get(partition.tenant, -1) < partition.generation:
                self._chroma.sync(partition.tenant, partition.generation, set(partition.places), self._load)
                self._synced[partition.tenant] = partition.generation

    def search(self, partition: Partition, queries: Vectors, depth: int, mask: Mask | None) -> list[list[Match]]:
        """Per query (a row) the nearest chunks; ties by place.

        Scores are cosines after what the model's vectors have in common was taken out.
        """
        if not partition.chunks:
            return [[] for _ in queries]
        queries = without(queries, self._common)
        if mask is None:
            found = self._nearest(partition, queries, min(depth, len(partition.places)))
            return [_matches(partition, keys)[:depth] for keys in found]
        places = np.flatnonzero(mask)
        cosines = queries @ self._vectors(partition)[places].T
        return [_best(places, of_query, depth) for of_query in cosines]

    def scores_at(self, partition: Partition, queries: Vectors, places: Sequence[int]) -> Vectors:
        """The same scores at these places, exactly, shape (queries, places)."""
        cosines: Vectors = (
            without(queries, self._common) @ self._load([partition.chunks[place].key for place in places]).T
        )
        return cosines

    def _load(self, keys: Sequence[str]) -> Vectors:
        return without(self._table.get(keys), self._common)

    def close(self) -> None:
        self._chroma.close()

    def _nearest(self, partition: Partition, queries: Vectors, depth: int) -> list[list[tuple[str, float]]]:
        """From the collection, brought up to date and, where its files are damaged, built anew."""
        try:
            self.sync(partition)
            return self._chroma.nearest(partition.tenant, queries, depth)
        except errors.Unavailable:
            with self._lock:
                if not self._may_rebuild:
                    raise
                self._chroma.close()
                self._rebuild()
            self.sync(partition)
            return self._chroma.nearest(partition.tenant, queries, depth)

    def _rebuild(self) -> None:
        """Start from an empty folder, once a process: what is kept there is derived from the store."""
        _log.warning("The vector index is damaged and is built anew")
        self._may_rebuild = False
        self._synced.clear()
        self._chroma = Chroma.anew(*self._place)

    def _vectors(self, partition: Partition) -> Vectors:
        """Every vector of the partition by place, read at the first masked search of a generation."""
        with self._lock:
            if self._matrix is None or self._matrix[0] is not partition:
                self._matrix = partition, self._load([chunk.key for chunk in partition.chunks])
            return self._matrix[1]


def _matches(partition: Partition, keys: Sequence[tuple[str, float]]) -> list[Match]:
    # A key that the collection still has and the partition no longer is skipped.
    found = [Match(place, cosine) for key, cosine in keys for place in partition.places.get(key, ())]
    return sorted(found, key=lambda match: (-match.score, match.place))


def _best(places: NDArray[np.intp], cosines: Vectors, depth: int) -> list[Match]:
    order = np.argsort(-cosines, kind="stable")[:depth]
    return [Match(int(place), float(cosine)) for place, cosine in zip(places[order], cosines[order], strict=True)]
