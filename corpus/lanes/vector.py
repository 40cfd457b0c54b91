"""The vector lane: the nearest chunks of a partition, with cosines that depend on nothing but the two vectors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

import errors
from context.retrieval import Vectors
from corpus.embeddings.common import without
from corpus.lanes.approximate import Approximate, Keyed
from corpus.lanes.match import Mask, Match
from corpus.lanes.nearest import nearest
from corpus.partition import Partition
from corpus.segments.part import Part
from corpus.segments.texts import Places

APPROXIMATE_FROM: Final = 400_000
"""Chunks from which the approximate index answers sooner than the exact two passes (docs/decisions/0011)."""

_log = logging.getLogger(__name__)


class VectorLane:
    """Exact, but for a search over everything in a partition of `approximate_from` chunks or more: there the
    approximate index proposes, and what was added since it was brought up to date is searched exactly.

    `open_index` opens that index, and with True drops what it finds and starts empty. Scores are cosines after what
    the model's vectors have in common was taken out.
    """

    def __init__(
        self,
        open_index: Callable[[bool], Approximate],
        common: Vectors | None = None,
        approximate_from: int = APPROXIMATE_FROM,
    ) -> None:
        self._open_index = open_index
        self._common = common
        self._approximate_from = approximate_from
        self._lock = threading.Lock()
        self._index: Approximate | None = None
        self._ready: dict[str, Keyed] = {}
        self._stopped = threading.Event()
        self._failed = False

    def search(self, partition: Partition, queries: Vectors, depth: int, mask: Mask | None) -> list[list[Match]]:
        """Per query (a row) the nearest chunks; ties by place. Raises `errors.Unavailable`."""
        # One by one: a product with few columns is slower than as many products with one.
        return [self._search(partition, query, depth, mask) for query in without(queries, self._common)]

    def scores_at(self, partition: Partition, queries: Vectors, places: Sequence[int]) -> NDArray[np.float64]:
        """The cosines that `search` gives for the chunks at these places, shape (queries, places)."""
        cosines = np.zeros((len(queries), len(places)))
        for part in partition.parts:
            rows = part.placing.at(np.asarray(places, np.intp))
            here = np.flatnonzero(rows >= 0)
            for n, query in enumerate(without(queries, self._common) if len(here) else ()):
                cosines[n, here] = _cosines(part, query, rows[here].astype(np.intp))
        return cosines

    def is_large(self, partition: Partition) -> bool:
        """Whether the approximate index is to hold it."""
        return len(partition.base) >= self._approximate_from and partition.base.vectors is not None

    def is_behind(self, partition: Partition) -> bool:
        """Whether `settle` has something to do."""
        ready = self._ready.get(partition.tenant)
        if not self.is_large(partition):
            return ready is not None
        return not self._failed and (ready is None or ready.segment is not partition.base)

    def settle(self, partition: Partition) -> None:
        """Bring the approximate index up to the partition's base, where there is need of it, or take it out.

        Until that is done, and where it fails, searches are exact and take longer. Raises `errors.Unavailable`.
        """
        if not self.is_behind(partition):
            return
        if not self.is_large(partition):
            self._drop(partition.tenant)
            return
        keyed = Keyed.of(partition.base)
        with self._lock:
            try:
                self._sync(partition, keyed, anew=False)
            except errors.Unavailable:
                if self._stopped.is_set():
                    raise
                self._build_anew(partition, keyed)

    def stop(self) -> None:
        """End a `settle` that is under way: it can take minutes."""
        self._stopped.set()

    def close(self) -> None:
        with self._lock:
            self._ready.clear()
            if self._index is not None:
                self._index.close()

    def _drop(self, tenant: str) -> None:
        with self._lock:
            if self._ready.pop(tenant, None) and self._index is not None:
                self._index.drop(tenant)

    def _build_anew(self, partition: Partition, keyed: Keyed) -> None:
        """Once: what does not help then does not help later either."""
        _log.warning("The approximate index is damaged and is built anew")
        self._failed = True
        self._sync(partition, keyed, anew=True)
        self._failed = False

    def _sync(self, partition: Partition, keyed: Keyed, *, anew: bool) -> None:
        self._ready.pop(partition.tenant, None)
        if anew and self._index is not None:
            self._ready.clear()
            self._index.close()
        if anew or self._index is None:
            self._index = self._open_index(anew)

        def load(keys: Sequence[str]) -> Vectors:
            if self._stopped.is_set():
                raise errors.Unavailable("The service is stopping.")
            return keyed.vectors(keys)

        self._index.sync(partition.tenant, partition.stamp, set(keyed.segment.records.keys), load)
        self._ready[partition.tenant] = keyed

    def _search(self, partition: Partition, query: Vectors, depth: int, mask: Mask | None) -> list[Match]:
        places, cosines = [np.zeros(0, np.intp)], [np.zeros(0)]
        for part, rows in self._candidates(partition, query, depth, mask):
            places.append(part.placing.of(rows.astype(np.int32)).astype(np.intp))
            cosines.append(_cosines(part, query, rows))
        return _ranked(np.concatenate(places), np.concatenate(cosines), depth)

    def _candidates(
        self, partition: Partition, query: Vectors, depth: int, mask: Mask | None
    ) -> Iterator[tuple[Part, Places]]:
        for part in partition.parts:
            segment, proposed = part.segment, None
            if segment.vectors is None or not len(segment):
                continue
            if mask is None and segment is partition.base:
                proposed = self._proposed(partition, query, depth)
            if proposed is None:
                proposed = nearest(segment.vectors, segment.quantised, query, depth, _allowed(part, mask))
            yield part, proposed

    def _proposed(self, partition: Partition, query: Vectors, depth: int) -> Places | None:
        """What the approximate index finds in the base; None when it is not ready or finds too little."""
        keyed = self._ready.get(partition.tenant)
        if self._index is None or keyed is None or keyed.segment is not partition.base:
            return None
        try:
            keys = self._index.nearest(partition.tenant, query, depth + len(partition.withdrawn) // 10)
        except errors.Unavailable:
            _log.warning("The approximate index failed; vectors are searched exactly")
            self._ready.pop(partition.tenant, None)
            return None
        rows = keyed.rows(keys)
        rows = rows[partition.withdrawn.alive[rows]]
        return rows if len(rows) >= depth else None


def _allowed(part: Part, mask: Mask | None) -> Mask | None:
    """Which rows of the part may enter; None when all may."""
    if mask is None:
        return part.withdrawn.alive if len(part.withdrawn) else None
    return np.append(mask, False)[part.placing.of(np.arange(len(part.segment), dtype=np.int32))]


def _cosines(part: Part, query: Vectors, rows: Places) -> NDArray[np.float64]:
    """Row by row in float64: a matrix product rounds by where a row happens to lie."""
    return np.asarray(np.vecdot(part.segment.rows_of_vectors(rows), query, dtype=np.float64))


def _ranked(places: Places, cosines: NDArray[np.float64], depth: int) -> list[Match]:
    order = np.lexsort((places, -cosines))[:depth]
    return [Match(place, cosine) for place, cosine in zip(places[order].tolist(), cosines[order].tolist(), strict=True)]
