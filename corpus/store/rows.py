"""Rows of the store as the values that leave it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from context import Passage
from corpus.documents import DocumentInfo
from corpus.lanes.postings import Vocabulary
from corpus.store.records import IndexedChunk


def merged(row: sqlite3.Row) -> dict[str, Any]:
    """A document's metadata: what was extracted, over it what was given, over that what was set by hand."""
    return _layers(row, json.loads(row["extracted"]))


def of_chunk(row: sqlite3.Row) -> dict[str, Any]:
    """As `merged`, with what was extracted from the chunk itself over what was from the document."""
    return _layers(row, json.loads(row["extracted"]) | json.loads(row["metadata"]))


def _layers(row: sqlite3.Row, extracted: dict[str, Any]) -> dict[str, Any]:
    return {**extracted, **json.loads(row["given"]), **json.loads(row["set_metadata"])}


def info(row: sqlite3.Row) -> DocumentInfo:
    return DocumentInfo(
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        metadata=merged(row),
        groups=tuple(json.loads(row["groups"])),
        chunks=row["chunks"],
    )


def passage(row: sqlite3.Row) -> Passage:
    return Passage(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        metadata=of_chunk(row),
    )


def indexed(row: sqlite3.Row, vocabulary: Vocabulary) -> IndexedChunk:
    return IndexedChunk(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        metadata=of_chunk(row),
        groups=frozenset(json.loads(row["groups"])),
        start=row["start"],
        end=row["end"],
        key=row["key"],
        terms=vocabulary.number(json.loads(row["counts"])),
    )


def to_json(value: Mapping[str, Any] | Iterable[Any]) -> str:
    """Compact JSON; the keys of an object keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
