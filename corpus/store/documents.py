"""Documents, their versions and chunks in the store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from context import Passage, Principal
from corpus.access import may_see
from corpus.documents import DocumentInfo
from corpus.lanes.postings import Vocabulary
from corpus.store.database import Database, raise_generation
from corpus.store.records import IndexedChunk, ReadyVersion
from corpus.store.terms import write_counts
from text.tokens import RULES


class Documents:
    """The truth about documents: what is current, what was, and who may see it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def current(self, tenant: str, doc_id: str) -> tuple[str, tuple[str, ...]] | None:
        """Current version and groups of a document."""
        rows = self._database.read(
            "SELECT version, groups FROM documents WHERE tenant = ? AND doc_id = ?", (tenant, doc_id)
        )
        return (rows[0]["version"], tuple(json.loads(rows[0]["groups"]))) if rows else None

    def put(self, ready: ReadyVersion) -> int:
        """Make this the current version, in one transaction; the one before stays readable. Gives the generation."""
        with self._database.write() as connection:
            _put_document(connection, ready)
            version_id = _put_version(connection, ready)
            _put_chunks(connection, version_id, ready)
            return raise_generation(connection, ready.tenant)

    def delete(self, tenant: str, doc_id: str) -> int | None:
        """Remove a document with all versions and all that was derived from it. None when there is none."""
        with self._database.write() as connection:
            keys = connection.execute(
                "SELECT DISTINCT key FROM chunks JOIN versions ON versions.id = version_id "
                "WHERE tenant = ? AND doc_id = ?",
                (tenant, doc_id),
            ).fetchall()
            gone = connection.execute("DELETE FROM documents WHERE tenant = ? AND doc_id = ?", (tenant, doc_id))
            if not gone.rowcount:
                return None
            for table in ("vectors", "terms"):
                connection.executemany(
                    f"DELETE FROM {table} WHERE key = :key AND NOT EXISTS (SELECT 1 FROM chunks WHERE key = :key)",  # noqa: S608
                    [{"key": row["key"]} for row in keys],
                )
            return raise_generation(connection, tenant)

    def visible(self, principal: Principal) -> list[DocumentInfo]:
        """Documents that the principal may see, by doc_id."""
        rows = self._database.read(
            "SELECT doc_id, version, title, metadata, groups, "
            "(SELECT COUNT(*) FROM chunks WHERE version_id = versions.id) AS chunks "
            "FROM documents JOIN versions USING (tenant, doc_id, version) WHERE tenant = ? ORDER BY doc_id",
            (principal.tenant,),
        )
        return [_info(row) for row in rows if may_see(principal, json.loads(row["groups"]))]

    def passages(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        """Passages that the principal may see: of the current version, else of the newest one that has the chunk."""
        rows = self._database.read(
            "SELECT chunks.*, doc_id, versions.version, title, versions.metadata AS of_document, groups "
            "FROM chunks JOIN versions ON versions.id = version_id JOIN documents USING (tenant, doc_id) "
            "WHERE tenant = ? AND chunk_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY versions.version = documents.version, versions.id",
            (principal.tenant, _json(chunk_ids)),
        )
        return {row["chunk_id"]: _passage(row) for row in rows if may_see(principal, json.loads(row["groups"]))}

    def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        """Characters [start, end) of a version's text; None when the principal may not see it."""
        start, end = span
        rows = self._database.read(
            "SELECT substr(text, ?, ?) AS text, groups FROM versions JOIN documents USING (tenant, doc_id) "
            "WHERE tenant = ? AND doc_id = ? AND versions.version = ?",
            (start + 1, end - start, principal.tenant, doc_id, version),
        )
        return str(rows[0]["text"]) if rows and may_see(principal, json.loads(rows[0]["groups"])) else None

    def generation(self) -> int:
        return int(self._database.read("SELECT value FROM counters WHERE name = 'generation'")[0]["value"])

    def tenants(self) -> dict[str, int]:
        """Every tenant that ever had a document, with the generation of its last change."""
        return {row["tenant"]: row["generation"] for row in self._database.read("SELECT * FROM tenants")}

    def indexed(self, tenant: str, vocabulary: Vocabulary, doc_id: str | None = None) -> list[IndexedChunk]:
        """Chunks of the current versions of one document or of all, their tokens numbered by the vocabulary."""
        rows = self._database.read(
            "SELECT chunks.*, doc_id, version, title, versions.metadata AS of_document, groups, counts "
            "FROM documents JOIN versions USING (tenant, doc_id, version) JOIN chunks ON version_id = versions.id "
            "JOIN terms ON terms.key = chunks.key AND rules = :rules "
            "WHERE tenant = :tenant AND (:doc_id IS NULL OR doc_id = :doc_id)",
            {"rules": RULES, "tenant": tenant, "doc_id": doc_id},
        )
        return [_indexed(row, vocabulary) for row in rows]


def _put_document(connection: sqlite3.Connection, ready: ReadyVersion) -> None:
    connection.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?) "
        "ON CONFLICT (tenant, doc_id) DO UPDATE SET version = excluded.version, groups = excluded.groups",
        (ready.tenant, ready.doc_id, ready.version, json.dumps(ready.groups, ensure_ascii=False)),
    )


def _put_version(connection: sqlite3.Connection, ready: ReadyVersion) -> int:
    connection.execute(
        "DELETE FROM versions WHERE tenant = ? AND doc_id = ? AND version = ?",
        (ready.tenant, ready.doc_id, ready.version),
    )
    inserted = connection.execute(
        "INSERT INTO versions (tenant, doc_id, version, title, metadata, text) VALUES (?, ?, ?, ?, ?, ?)",
        (ready.tenant, ready.doc_id, ready.version, ready.title, _json(ready.metadata), ready.text),
    )
    return int(inserted.lastrowid or 0)


def _put_chunks(connection: sqlite3.Connection, version_id: int, ready: ReadyVersion) -> None:
    connection.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (version_id, ordinal, c.chunk_id, c.heading, c.start, c.end, c.text, _json(c.metadata), ready_chunk.key)
            for ordinal, ready_chunk in enumerate(ready.chunks)
            for c in (ready_chunk.chunk,)
        ],
    )
    write_counts(connection, {ready_chunk.key: ready_chunk.counts for ready_chunk in ready.chunks})


def _info(row: sqlite3.Row) -> DocumentInfo:
    return DocumentInfo(
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        metadata=json.loads(row["metadata"]),
        groups=tuple(json.loads(row["groups"])),
        chunks=row["chunks"],
    )


def _passage(row: sqlite3.Row) -> Passage:
    return Passage(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        metadata=json.loads(row["of_document"]) | json.loads(row["metadata"]),
    )


def _indexed(row: sqlite3.Row, vocabulary: Vocabulary) -> IndexedChunk:
    return IndexedChunk(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        metadata=json.loads(row["of_document"]) | json.loads(row["metadata"]),
        groups=frozenset(json.loads(row["groups"])),
        start=row["start"],
        end=row["end"],
        key=row["key"],
        terms=vocabulary.number(json.loads(row["counts"])),
    )


def _json(value: Mapping[str, Any] | Iterable[Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
