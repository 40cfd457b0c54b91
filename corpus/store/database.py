"""One SQLite file: its connection, its schema version, and the generation that every change raises."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import errors

SCHEMA: Final = 1
_DDL: Final = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO counters VALUES ('generation', 0);
CREATE TABLE tenants (tenant TEXT PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TABLE embedder (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), name TEXT NOT NULL,
    dimension INTEGER NOT NULL);
CREATE TABLE documents (tenant TEXT, doc_id TEXT, version TEXT NOT NULL, groups TEXT NOT NULL,
    PRIMARY KEY (tenant, doc_id));
CREATE TABLE versions (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, doc_id TEXT NOT NULL, version TEXT NOT NULL,
    title TEXT NOT NULL, metadata TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (tenant, doc_id, version),
    FOREIGN KEY (tenant, doc_id) REFERENCES documents ON DELETE CASCADE);
CREATE TABLE chunks (version_id INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE, ordinal INTEGER NOT NULL,
    chunk_id TEXT NOT NULL, heading TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL,
    metadata TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (version_id, ordinal));
CREATE INDEX chunks_by_id ON chunks (chunk_id);
CREATE INDEX chunks_by_key ON chunks (key);
CREATE TABLE vectors (embedder TEXT, key TEXT, vector BLOB NOT NULL, PRIMARY KEY (embedder, key));
CREATE TABLE terms (rules INTEGER, key TEXT, counts TEXT NOT NULL, PRIMARY KEY (rules, key));
"""


class Database:
    """A connection that threads may share; writes are whole transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open or create the file. Raises `errors.Conflict` when it is not one that this release can read."""
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            _prepare(connection)
        except sqlite3.DatabaseError as error:
            connection.close()
            raise errors.Conflict("The document store is locked by another process or damaged.") from error
        except errors.Conflict:
            connection.close()
            raise
        return cls(connection)

    def read(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[sqlite3.Row]:
        """All rows of one query."""
        with self._lock:
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it happens, or none."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA busy_timeout = 5000")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found == 0:
        connection.executescript(f"BEGIN IMMEDIATE; {_DDL} PRAGMA user_version = {SCHEMA}; COMMIT;")
    elif found != SCHEMA:
        raise errors.Conflict(
            f"The document store has schema version {found} and this release reads {SCHEMA}: "
            "use the release that wrote it, or ingest into a new data folder."
        )


def raise_generation(connection: sqlite3.Connection, tenant: str) -> int:
    """Count one more change, inside the transaction that makes it."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'generation'")
    generation = int(connection.execute("SELECT value FROM counters WHERE name = 'generation'").fetchone()[0])
    connection.execute(
        "INSERT INTO tenants VALUES (?, ?) ON CONFLICT (tenant) DO UPDATE SET generation = excluded.generation",
        (tenant, generation),
    )
    return generation
