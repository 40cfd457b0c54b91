"""Rows of the store as the values that leave it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

from context import Passage
from corpus.documents import DocumentInfo


def merged(row: sqlite3.Row) -> dict[str, Any]:
    """A document's metadata: what was extracted, over it what was given, over that what was set by hand."""
    return {**to_object(row["extracted"]), **_said(row)}


def of_chunk(row: sqlite3.Row) -> dict[str, Any]:
    """As `merged`, with what was extracted from the chunk itself over what was from the document."""
    return {**to_object(row["extracted"]), **to_object(row["metadata"]), **_said(row)}


def own_of_chunk(row: sqlite3.Row, name: str) -> dict[str, Any]:
    """What was extracted from the chunk itself and neither given nor set by hand for its document."""
    own = to_object(row[name])
    return {key: own[key] for key in own.keys() - _said(row).keys()} if own else own


def _said(row: sqlite3.Row) -> dict[str, Any]:
    return {**to_object(row["given"]), **to_object(row["set_metadata"])}


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


def to_json(value: Mapping[str, Any] | Iterable[Any]) -> str:
    """Compact JSON; the keys of an object keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_object(text: str) -> dict[str, Any]:
    """What `to_json` made of a mapping. Most are empty, and each search reads dozens of them."""
    read: dict[str, Any] = {} if text == "{}" else json.loads(text)
    return read
