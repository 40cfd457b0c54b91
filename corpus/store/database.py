"""One SQLite file: its connections, its transactions, and the generation that every change raises."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import errors
from corpus.reserve import RESERVE, Reserve, free_at
from corpus.store.faults import NO_ROOM, StoreFailed, full, translated
from corpus.store.rows import checked
from corpus.store.schema import prepare

_PATIENCE_MS: Final = 5_000
"""How long a statement waits for another process's lock."""
_CACHE_KB: Final = 32_000
"""What the reader keeps of the file: SQLite's own 2 MB hold few of the texts that searches read again and again."""
_INCREMENTAL: Final = 2
"""Of SQLite's `auto_vacuum`: free pages are given back when told."""
_LOT: Final = 1_000
_MOST_LOTS: Final = 4
"""A thousand pages are 4 MB and take a tenth of a second to move; what one deletion leaves the next gives back."""

_log = logging.getLogger(__name__)


class Database:
    """Two connections that threads may share: one writes whole transactions, the other reads what was committed."""

    def __init__(self, path: Path, writer: sqlite3.Connection, reader: sqlite3.Connection) -> None:
        self._path = path
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
                connections[1].execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        except BaseException as error:
            for connection in connections:
                connection.close()
            if isinstance(error, StoreFailed) and error.reason not in NO_ROOM:
                raise errors.Conflict(error.sentence, code=error.reason) from error
            raise
        return cls(path, *connections)

    @property
    def is_idle(self) -> bool:
        """Whether a read would wait for no other at this moment."""
        idle = self._reading.acquire(blocking=False)
        if idle:
            self._reading.release()
        return idle

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

    def check_room(self) -> None:
        """Raises `StoreFailed` when the last room should be left to what makes more of it."""
        if free_at(self._path.parent) < RESERVE:
            raise full()

    def make_room(self) -> None:
        """Give up what room there is beside the store: its log, and what was kept for this moment."""
        Reserve(self._path).give()
        self._empty_log()

    def forget(self) -> None:
        """Give free pages back, and empty the log, in which deleted text would stand until it is overwritten."""
        with self._writing:
            try:
                with translated():
                    self._give_back(_MOST_LOTS)
            except StoreFailed as error:  # what was deleted is deleted
                _log.warning("Free pages stay in the document store: %s", error.reason)
            self._empty_log()

    def shrink(self) -> None:
        """Give all free pages back; a store of a release that could not is written anew for it."""
        with self._writing, translated():
            if self._number("auto_vacuum") != _INCREMENTAL:
                self._writer.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
                self._writer.execute("VACUUM")
            self._give_back(None)
        self._empty_log()

    def _give_back(self, most: int | None) -> None:
        """In lots, a transaction each, so that the log stays small and nobody waits for long."""
        done = 0
        while self._number("freelist_count") and done != most and self._number("auto_vacuum") == _INCREMENTAL:
            # `execute` would take one step, which is one page.
            self._writer.executescript(f"PRAGMA incremental_vacuum({_LOT})")
            done += 1

    def _number(self, pragma: str) -> int:
        return int(self._writer.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _empty_log(self) -> None:
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
    connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")  # for a new file; no other heeds it
    prepare(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")


def raise_generation(connection: sqlite3.Connection, tenant: str) -> int:
    """Count one more change, inside the transaction that makes it.

    A tenant's own number rises by one with its own changes alone: it is shown, and says nothing of the others.
    """
    connection.execute("UPDATE counters SET value = value + 1 WHERE name = 'generation'")
    raised = connection.execute(
        "INSERT INTO tenants VALUES (?, 1) ON CONFLICT (tenant) DO UPDATE SET generation = generation + 1 "
        "RETURNING generation",
        (tenant,),
    )
    return int(raised.fetchone()[0])


def opened_read_only(path: Path) -> closing[sqlite3.Connection]:
    """A connection for looking at a store that another process may own. Raises `StoreFailed`."""
    with translated():
        return closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE_MS / 1000))
