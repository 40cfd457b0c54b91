"""Versions of a document: written whole, and retired when there are too many."""

from __future__ import annotations

import sqlite3

from corpus.store.leftovers import drop_unused
from corpus.store.records import ReadyVersion
from corpus.store.rows import to_json
from corpus.store.terms import write_counts


def insert(connection: sqlite3.Connection, ready: ReadyVersion, now: float | None) -> int:
    """Inside a transaction: write a version with its chunks, in place of the same one, and give its id."""
    connection.execute(
        "DELETE FROM versions WHERE tenant = ? AND doc_id = ? AND version = ? AND chunker = ?",
        (ready.tenant, ready.doc_id, ready.version, ready.chunker),
    )
    inserted = connection.execute(
        "INSERT INTO versions (tenant, doc_id, version, chunker, created, title, given, extracted, text) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(ready.tenant, ready.doc_id, ready.version, ready.chunker, now, ready.title),
            *(to_json(ready.metadata), to_json(ready.extracted), ready.text),
        ),
    )
    version_id = int(inserted.lastrowid or 0)
    _insert_chunks(connection, version_id, ready)
    return version_id


def retire(connection: sqlite3.Connection, tenant: str, doc_id: str, keep: int) -> None:
    """Inside a transaction: remove the oldest versions beyond `keep`, never the current one."""
    old = connection.execute(
        "SELECT versions.id FROM versions JOIN documents USING (tenant, doc_id) "
        "WHERE tenant = ? AND doc_id = ? AND versions.id <> current ORDER BY versions.id DESC LIMIT -1 OFFSET ?",
        (tenant, doc_id, keep - 1),
    ).fetchall()
    for row in old:
        keys = connection.execute("SELECT key FROM chunks WHERE version_id = ?", (row["id"],)).fetchall()
        connection.execute("DELETE FROM versions WHERE id = ?", (row["id"],))
        drop_unused(connection, [chunk["key"] for chunk in keys])


def _insert_chunks(connection: sqlite3.Connection, version_id: int, ready: ReadyVersion) -> None:
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (version_id, ordinal, c.chunk_id, c.heading, c.start, c.end, c.text, to_json(c.metadata), ready_chunk.key)
            for ordinal, ready_chunk in enumerate(ready.chunks)
            for c in (ready_chunk.chunk,)
        ],
    )
    connection.executemany("DELETE FROM unclaimed WHERE key = ?", [(chunk.key,) for chunk in ready.chunks])
    write_counts(connection, {chunk.key: chunk.counts for chunk in ready.chunks})
