"""The vector lane: the nearest chunks of a partition, exactly the nearest when a mask leaves only some."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from context import Vectors
from corpus.lanes.chroma import Chroma
from corpus.lanes.match import Mask, Match
from corpus.partition import Partition
from corpus.store.vectors import VectorTable


class VectorLane:
    """Chroma for searches over everything; under a mask every allowed vector is compared, because an approximate
    graph loses neighbours when most of its points are forbidden."""

    def __init__(self, folder: Path, embedder: str, table: VectorTable) -> None:
        self._chroma = Chroma(folder, embedder)
        self._table = table
        self._lock = threading.Lock()
        self._synced: dict[str, int] = {}
        self._matrix: tuple[Partition, Vectors] | None = None

    def sync(self, partition: Partition) -> None:
        """Bring the collection up to the partition's generation. Raises `errors.Unavailable`."""
        with self._lock:
            if self._synced.get(partition.tenant, -1) < partition.generation:
                self._chroma.sync(partition.tenant, partition.generation, set(partition.places), self._table.get)
                self._synced[partition.tenant] = partition.generation

    def search(self, partition: Partition, queries: Vectors, depth: int, mask: Mask | None) -> list[list[Match]]:
        """Per query (a row) the nearest chunks, scores are cosines; ties by place."""
        if not partition.chunks:
            return [[] for _ in queries]
        if mask is None:
            self.sync(partition)  # once more, should it have failed after the last change
            found = self._chroma.nearest(partition.tenant, queries, min(depth, len(partition.places)))
            return [_matches(partition, keys)[:depth] for keys in found]
        places = np.flatnonzero(mask)
        cosines = queries @ self._vectors(partition)[places].T
        return [_best(places.tolist(), row.tolist(), depth) for row in cosines]

    def close(self) -> None:
        self._chroma.close()

    def _vectors(self, partition: Partition) -> Vectors:
        """Every vector of the partition by place, read at the first masked search of a generation."""
        with self._lock:
            if self._matrix is None or self._matrix[0] is not partition:
                self._matrix = partition, self._table.get([chunk.key for chunk in partition.chunks])
            return self._matrix[1]


def _matches(partition: Partition, keys: Sequence[tuple[str, float]]) -> list[Match]:
    # A key that the collection still has and the partition no longer is skipped.
    return [Match(place, cosine) for key, cosine in keys for place in partition.places.get(key, ())]


def _best(places: list[int], cosines: list[float], depth: int) -> list[Match]:
    ranked = sorted(zip(places, cosines, strict=True), key=lambda pair: (-pair[1], pair[0]))[:depth]
    return [Match(place, cosine) for place, cosine in ranked]
