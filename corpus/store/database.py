"""One SQLite file: its connections, its transactions, and the generation that every change raises."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import errors
from corpus.store.faults import NO_ROOM, StoreFailed, translated
from corpus.store.rows import checked
from corpus.store.schema import prepare

_PATIENCE_MS: Final = 5_000
"""How long a statement waits for another process's lock."""


class Database:
    """Two connections that threads may share: one writes whole transactions, the other reads what was committed."""

    def __init__(self, writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        self._writer, self._reader = writer, reader
        self._writing, self._reading = threading.RLock(), threading.RLock()

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open or create the file; one of schema 1 is migrated.

        Raises `errors.Conflict` when it is not one that this release can read, is locked or damaged.
        """
        connections: list[sqlite3.Connection] = []
        try:
            with translated():
                for _ in range(2):
                    connections.append(_connect(path))
                    if len(connections) == 1:
                        _set_up(connections[0])
                connections[1].execute("PRAGMA query_only = ON")
        except BaseException as error:
            for connection in connections:
                connection.close()
            if isinstance(error, StoreFailed) and error.reason not in NO_ROOM:
                raise errors.Conflict(error.sentence, code=error.reason) from error
            raise
        return cls(*connections)

    def read(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[sqlite3.Row]:
        """All rows of one query. Raises `StoreFailed`."""
        with self._reading, translated():
            cursor = self._reader.execute(sql, parameters)
            return checked([column[0] for column in cursor.description], cursor.fetchall())

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it happens, or none. Raises `StoreFailed`.

        A durable one is on the disk once this ends. Another survives the death of the process at once, and a power
        cut from the next durable one on: enough for what can be computed again.
        """
        with self._writing, translated():
            self._writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")

    def forget(self) -> None:
        """Empty the write-ahead log, in which deleted text would otherwise stand until it is overwritten."""
        with self._writing, translated():
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """The reader first: the last connection to close removes the write-ahead log."""
        with self._writing, self._reading:
            self._reader.close()
            self._writer.close()


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=_PATIENCE_MS / 1000)
    connection.row_factory = sqlite3.Row
    return connection


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA secure_delete = ON")
    prepare(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")


def raise_generation(connection: sqlite3.Connection, tenant: str) -> int:
    """Count one more change, inside the transaction that makes it."""
    connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'generation'")
    generation = int(connection.execute("SELECT value FROM counters WHERE name = 'generation'").fetchone()[0])
    connection.execute(
        "INSERT INTO tenants VALUES (?, ?) ON CONFLICT (tenant) DO UPDATE SET generation = excluded.generation",
        (tenant, generation),
    )
    return generation


def opened_read_only(path: Path) -> closing[sqlite3.Connection]:
    """A connection for looking at a store that another process may own. Raises `StoreFailed`."""
    with translated():
        return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE_MS / 1000))
