"""Rows that no release can have written, told by SQL, so that a whole store is looked through without reading it in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from corpus.store.fingerprints import embedder_of


def _texts(*columns: str) -> str:
    return " OR ".join(f"typeof({column}) <> 'text'" for column in columns)


def _numbers(*columns: str) -> str:
    return " OR ".join(f"typeof({column}) <> 'integer'" for column in columns)


def _not_json(kind: str, elements: str | None, *columns: str) -> str:
    """`CASE` alone keeps SQLite from reading on in what it could not parse."""
    each = "" if elements is None else f" AND NOT EXISTS (SELECT 1 FROM json_each({{0}}) WHERE type <> '{elements}')"  # noqa: S608
    unread = "typeof({0}) <> 'text' OR NOT json_valid({0})"
    sound = f"CASE WHEN {unread} THEN 0 ELSE json_type({{0}}) = '{kind}'{each} END"
    return " OR ".join(f"NOT ({sound.format(column)})" for column in columns)


BAD_COUNTS: Final = _not_json("object", "integer", "counts")
BAD_VECTOR: Final = "typeof(vector) <> 'blob' OR length(vector) <> 4 * :dimension"

_BAD: Final = {
    "counters": f"{_texts('name')} OR {_numbers('value')}",
    "tenants": f"{_texts('tenant')} OR {_numbers('generation')}",
    "fingerprints": _texts("part", "value"),
    "documents": " OR ".join(
        (
            _texts("tenant", "doc_id"),
            _numbers("current"),
            _not_json("array", "text", "given_groups"),
            f"set_groups IS NOT NULL AND ({_not_json('array', 'text', 'set_groups')})",
            _not_json("object", None, "set_metadata"),
        )
    ),
    "versions": " OR ".join(
        (
            _texts("tenant", "doc_id", "version", "chunker", "title", "text"),
            _not_json("object", None, "given", "extracted"),
            "created IS NOT NULL AND (typeof(created) <> 'real' OR NOT created BETWEEN 0 AND 253402300799)",
        )
    ),
    "chunks": " OR ".join(
        (
            _texts("chunk_id", "heading", "text", "key"),
            _numbers("version_id", "ordinal", "start", '"end"'),
            _not_json("object", None, "metadata"),
        )
    ),
    "vectors": f"{_texts('key', 'embedder')} OR typeof(vector) <> 'blob'",
    "terms": f"{_texts('key', 'rules')} OR {BAD_COUNTS}",
    "unclaimed": f"{_texts('key')} OR typeof(since) <> 'real'",
}


def sound(connection: sqlite3.Connection) -> bool:
    """Whether every row of a store of the present schema is one that this release can read."""
    bad = (f"SELECT 1 FROM {table} WHERE {condition}" for table, condition in _BAD.items())  # noqa: S608
    if any(_any(connection, sql) for sql in bad):
        return False
    return not _any(connection, "PRAGMA foreign_key_check") and _fits(_lengths(connection))


def _any(connection: sqlite3.Connection, sql: str) -> bool:
    return connection.execute(sql).fetchone() is not None


def _lengths(connection: sqlite3.Connection) -> Iterator[tuple[str, int]]:
    yield from connection.execute("SELECT DISTINCT embedder, length(vector) FROM vectors")


def _fits(lengths: Iterable[tuple[str, int]]) -> bool:
    """Whether each embedder's vectors are as long as its fingerprint says."""
    return all(length == 4 * (embedder_of(embedder) or ("", 0))[1] for embedder, length in lengths)
