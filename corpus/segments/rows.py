"""What a segment is built from: a chunk of a current version, as the store has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.segments.digests import number
from corpus.segments.sayings import Saying


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk; metadata and groups are the store's JSON, unread."""

    chunk_id: str
    doc_id: str
    version_id: int
    version: str
    title: str
    metadata: str
    groups: str
    chunk_metadata: str
    start: int
    end: int
    key: str
    counts: Mapping[str, int]
    saying: Saying


def stamp(version_id: int, version: str, title: str, metadata: str, groups: str) -> int:
    """One number, 64 bits, for all that a document's rows depend on: another one says that it was changed.

    `version_id` is the store's: a version that was cut anew has another one.
    """
    return number("\n".join((str(version_id), version, groups, metadata, title)))
