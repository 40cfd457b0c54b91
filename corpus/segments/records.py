"""Everything of a segment's chunks but their text and tokens; each record is read when it is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.segments.rows import Row, stamp
from corpus.segments.sayings import Sayings
from corpus.segments.texts import Integers, Interned, Places, Texts, interleaved
from corpus.store.records import IndexedChunk
from corpus.store.rows import object_of


class Outline(NamedTuple):
    """Of a chunk what tells repeats apart at a glance: its document (a number in its segment), its span in the
    document's text, and its sentences as numbers."""

    document: int
    start: int
    end: int
    said: frozenset[int]


class Name(NamedTuple):
    """What a hit names its chunk by."""

    chunk_id: str
    doc_id: str
    version: str
    title: str


@dataclass(frozen=True)
class Records:
    """Rows by ascending chunk_id, and their documents by ascending doc_id, which `document` points to."""

    chunk_ids: Texts
    keys: Texts
    spans: NDArray[np.int64]
    document: Integers
    chunk_metadata: Interned
    sayings: Sayings
    doc_ids: Texts
    stamps: NDArray[np.uint64]
    versions: Interned
    titles: Interned
    metadata: Interned
    groups: Interned

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Records:
        """From rows by ascending chunk_id."""
        # Of each document any of its rows: they agree in what is the document's.
        row_of = {row.doc_id: row for row in rows}
        documents = {doc_id: ordinal for ordinal, doc_id in enumerate(sorted(row_of))}
        first = [row_of[doc_id] for doc_id in documents]
        return cls(
            chunk_ids=Texts.of(row.chunk_id for row in rows),
            keys=Texts.of(row.key for row in rows),
            spans=np.array([(row.start, row.end) for row in rows], np.int64).reshape(len(rows), 2),
            document=np.array([documents[row.doc_id] for row in rows], np.int32),
            chunk_metadata=Interned.of(row.chunk_metadata for row in rows),
            sayings=Sayings.of(row.saying for row in rows),
            doc_ids=Texts.of(documents),
            stamps=np.array([stamp(r.version_id, r.version, r.title, r.metadata, r.groups) for r in first], np.uint64),
            versions=Interned.of(row.version for row in first),
            titles=Interned.of(row.title for row in first),
            metadata=Interned.of(row.metadata for row in first),
            groups=Interned.of(row.groups for row in first),
        )

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        """Documents and spans, for looking at one row."""
        return self.document.data, self.spans.data

    def __getitem__(self, row: int) -> IndexedChunk:
        document, start, end = self._place(row)
        return IndexedChunk(
            chunk_id=self.chunk_ids[row],
            doc_id=self.doc_ids[document],
            version=self.versions[document],
            title=self.titles[document],
            metadata=object_of(self.metadata[document]) | object_of(self.chunk_metadata[row]),
            groups=_groups(self.groups[document]),
            start=start,
            end=end,
            key=self.keys[row],
        )

    def name(self, row: int) -> Name:
        """The cheap part of a record."""
        document = self._views[0][row]
        return Name(self.chunk_ids[row], self.doc_ids[document], self.versions[document], self.titles[document])

    def outline(self, row: int) -> Outline:
        return Outline(*self._place(row), self.sayings.said_by(row))

    def _place(self, row: int) -> tuple[int, int, int]:
        """Its document, and where it begins and ends there."""
        documents, spans = self._views
        return documents[row], spans[row, 0], spans[row, 1]

    def take(self, rows: Places) -> Records:
        """These rows only, in this order, and only the documents that they belong to."""
        documents, ordinals = np.unique(self.document[rows], return_inverse=True)
        kept = documents.astype(np.intp)
        return Records(
            chunk_ids=self.chunk_ids.take(rows),
            keys=self.keys.take(rows),
            spans=self.spans[rows],
            document=ordinals.astype(np.int32),
            chunk_metadata=self.chunk_metadata.take(rows),
            sayings=self.sayings.take(rows),
            doc_ids=self.doc_ids.take(kept),
            stamps=self.stamps[kept],
            versions=self.versions.take(kept),
            titles=self.titles.take(kept),
            metadata=self.metadata.take(kept),
            groups=self.groups.take(kept),
        )

    def merged(self, own: Integers, other: Records, others: Integers) -> Records:
        """The rows of both at their new places; no document is in both."""
        rows = np.argsort(np.concatenate((own, others)))
        documents = np.concatenate(interleaved(self.doc_ids, other.doc_ids))
        kept = np.argsort(documents)
        ordinals = np.concatenate((self.document, other.document + np.int32(len(self.doc_ids))))
        return Records(
            chunk_ids=self.chunk_ids.then(other.chunk_ids).take(rows),
            keys=self.keys.then(other.keys).take(rows),
            spans=np.concatenate((self.spans, other.spans))[rows],
            document=documents[ordinals[rows]],
            chunk_metadata=self.chunk_metadata.then(other.chunk_metadata).take(rows),
            sayings=self.sayings.then(other.sayings).take(rows),
            doc_ids=self.doc_ids.then(other.doc_ids).take(kept),
            stamps=np.concatenate((self.stamps, other.stamps))[kept],
            versions=self.versions.then(other.versions).take(kept),
            titles=self.titles.then(other.titles).take(kept),
            metadata=self.metadata.then(other.metadata).take(kept),
            groups=self.groups.then(other.groups).take(kept),
        )


@lru_cache(maxsize=1_000)
def _groups(text: str) -> frozenset[str]:
    return frozenset(json.loads(text))
