"""One tenant's part of the index: an immutable picture of what is current."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, overload

import numpy as np

from corpus.lanes.postings import Listed, Postings
from corpus.lanes.repeats import distinct
from corpus.segments.part import Part, Placing
from corpus.segments.records import Name, Outline, Records
from corpus.segments.sayings import Saying
from corpus.segments.segment import Segment
from corpus.segments.texts import Places, interleaved
from corpus.segments.withdrawn import Withdrawn
from corpus.store.records import IndexedChunk

_REMEMBERED: Final = 4_096


@dataclass(frozen=True)
class Partition:
    """A large base of which some rows are withdrawn, and a small delta of what was added since.

    A place is the rank of a chunk among all of the partition by chunk_id: whatever the history, the same chunks have
    the same places. `generation` is that of the last change in it, `stamp` that of the last one in its base.
    """

    tenant: str
    generation: int
    stamp: int
    base: Segment
    withdrawn: Withdrawn
    delta: Segment

    @classmethod
    def whole(cls, tenant: str, generation: int, base: Segment) -> Partition:
        """Nothing withdrawn, nothing added."""
        return cls(tenant, generation, generation, base, Withdrawn.none(len(base)), Segment.of(()))

    @classmethod
    def empty(cls, tenant: str) -> Partition:
        return cls.whole(tenant, 0, Segment.of(()))

    @property
    def size(self) -> int:
        """Chunks that are current."""
        return len(self.base) - len(self.withdrawn) + len(self.delta)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Base and delta, with the places of their rows."""
        if not len(self.withdrawn) and not len(self.delta):
            return (Part(self.base, Placing(None, self.size), self.withdrawn),)
        base, delta = interleaved(self.base.records.chunk_ids, self.delta.records.chunk_ids)
        # Places counted with the withdrawn rows, then without them.
        present = np.ones(len(base) + len(delta), np.bool_)
        present[base] = self.withdrawn.alive
        rank = (np.cumsum(present) - 1).astype(np.int32)
        places = np.where(self.withdrawn.alive, rank[base], np.int32(self.size))
        return (
            Part(self.base, Placing(places, self.size), self.withdrawn),
            Part(self.delta, Placing(rank[delta], self.size), Withdrawn.none(len(self.delta))),
        )

    @cached_property
    def chunks(self) -> Chunks:
        """Records by place."""
        return Chunks(self.parts, self.size)

    @cached_property
    def postings(self) -> Postings:
        """What the keyword lane searches."""
        return Postings([Listed(p.segment.inverted, p.placing, p.withdrawn) for p in self.parts], self.size)

    def by_id(self, chunk_id: str) -> IndexedChunk | None:
        """The record of a chunk, None when it is not current."""
        place = self.place(chunk_id)
        return None if place is None else self.chunks[place]

    def place(self, chunk_id: str) -> int | None:
        """The place of a chunk, None when it is not current."""
        for part in self.parts:
            row = part.segment.records.chunk_ids.find(chunk_id)
            if row is not None and part.withdrawn.alive[row]:
                return int(part.placing.of(np.array([row], np.int32))[0])
        return None

    def without_repeats(self, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
        """Those of these chunks that are current and repeat none before them, and which documents say the same."""
        places = {place: one for one in chunk_ids if (place := self.place(one)) is not None}
        return {places[hit.place]: hit.also_in for hit in distinct(list(places), self.chunks, len(places))}

    def changed(self, generation: int, doc_ids: Collection[str], added: Segment) -> Partition:
        """Without these documents, and with the added rows."""
        withdrawn = self.withdrawn.and_also(self.base.inverted, rows_of(self.base, doc_ids))
        gone = rows_of(self.delta, doc_ids)
        delta = self.delta.take(np.setdiff1d(np.arange(len(self.delta)), gone)) if len(gone) else self.delta
        if len(added):
            delta = delta.merged(added) if len(delta) else added
        return Partition(self.tenant, generation, self.stamp, self.base, withdrawn, delta)

    def merged(self) -> Segment:
        """All that is current as one segment, without a trace of what was withdrawn."""
        base = self.base.take(np.flatnonzero(self.withdrawn.alive)) if len(self.withdrawn) else self.base
        if not len(base):
            return self.delta
        return base.merged(self.delta) if len(self.delta) else base


class Chunks(Sequence[IndexedChunk]):
    """Records of a partition by place, read when asked for."""

    def __init__(self, parts: Sequence[Part], size: int) -> None:
        self._parts = parts
        self._size = size
        self._known: dict[int, IndexedChunk] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> IndexedChunk: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[IndexedChunk]: ...

    def __getitem__(self, place: int | slice) -> IndexedChunk | Sequence[IndexedChunk]:
        if isinstance(place, slice):
            return [self[one] for one in range(self._size)[place]]
        known = self._known.get(place)
        if known is None:
            records, row = self._at(place)
            known = records[row]
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[place] = known
        return known

    def name(self, place: int) -> Name:
        """What a hit names the chunk by."""
        records, row = self._at(place)
        return records.name(row)

    def outline(self, place: int) -> Outline:
        """Documents of the delta have negative numbers: no document is in both."""
        records, row = self._at(place)
        outline = records.outline(row)
        return outline if records is self._parts[0].segment.records else outline._replace(document=~outline.document)

    def saying(self, place: int) -> Saying:
        """What the chunk says."""
        records, row = self._at(place)
        return records.sayings[row]

    def _at(self, place: int) -> tuple[Records, int]:
        if not 0 <= place < self._size:
            raise IndexError(place)
        for part in self._parts:
            if (row := part.placing.row(place)) >= 0:
                return part.segment.records, row
        raise AssertionError("Every place is some part's.")


def rows_of(segment: Segment, doc_ids: Collection[str]) -> Places:
    """The rows of these documents in a segment."""
    records = segment.records
    found = [ordinal for doc_id in doc_ids if (ordinal := records.doc_ids.find(doc_id)) is not None]
    return np.flatnonzero(np.isin(records.document, np.array(found, np.int32)))
