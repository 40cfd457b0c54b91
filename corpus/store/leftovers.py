"""Vectors and counts whose text no chunk has any more, and vectors whose text no chunk has yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from corpus.store.database import Database

KEPT_S: Final = 7 * 24 * 3600.0
"""How long a vector waits for the ingest that was cut off after paying for it, in seconds."""


def drop_unused(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Inside a transaction: forget what was derived from these texts, where no chunk has the text any more."""
    unused = [{"key": key} for key in keys]
    for table in ("vectors", "terms"):
        connection.executemany(
            f"DELETE FROM {table} WHERE key = :key AND NOT EXISTS (SELECT 1 FROM chunks WHERE key = :key)",  # noqa: S608
            unused,
        )


def drop_expired(database: Database, now: float) -> None:
    """Forget vectors that have waited for a text longer than `KEPT_S`."""
    expired = database.read("SELECT key FROM unclaimed WHERE since < ?", (now - KEPT_S,))
    if expired:
        with database.write() as connection:
            drop_unused(connection, [row["key"] for row in expired])
            connection.executemany("DELETE FROM unclaimed WHERE key = ?", [(row["key"],) for row in expired])


def drop_all_unused(connection: sqlite3.Connection) -> None:
    """Inside a transaction: as `drop_unused`, of every text, but for vectors that still wait for theirs."""
    for table in ("vectors", "terms"):
        connection.execute(
            f"DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE chunks.key = {table}.key) "  # noqa: S608
            f"AND NOT EXISTS (SELECT 1 FROM unclaimed WHERE unclaimed.key = {table}.key)"
        )
