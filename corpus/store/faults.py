"""What SQLite and the disk may fail with, as errors that a person can act on."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import errors

STORE_NAME: Final = "document store"
THREADS_NAME: Final = "file of threads"

_FULL: Final = ("disk_full", "The disk is full: nothing was changed; make room and try again.")
_FAILED: Final = ("disk_failed", "The disk is full or fails: nothing was changed; make room and try again.")
_LOCKED: Final = ("store_locked", "The {} is locked by another process: try again when that has ended.")
_DAMAGED: Final = ("store_damaged", "The {} is damaged: put a backup in its place with `gapseek restore`.")
_CLOSED: Final = ("store_unwritable", "The {} cannot be opened or written: look at its file permissions.")

_FAULTS: Final = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _FAILED,
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_READONLY: _CLOSED,
    sqlite3.SQLITE_PERM: _CLOSED,
    sqlite3.SQLITE_CANTOPEN: _CLOSED,
}
_OF_THE_SYSTEM: Final = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EIO: _FAILED,
    errno.EACCES: _CLOSED,
    errno.EPERM: _CLOSED,
    errno.EROFS: _CLOSED,
}
_NOT_OURS: Final = ("malformed JSON", "Could not decode to UTF-8", "no such table", "no such column", "table ")
"""How SQLite begins what it says of a row or table that our statements do not fit; it has no code for these."""

NO_ROOM: Final = ("disk_full", "disk_failed")
"""Reasons that more room takes away."""


class StoreFailed(errors.Unavailable):
    """The store itself could not be read or written; no single document is to blame."""


class StoreDamaged(StoreFailed):
    """Trying again does not help."""

    retryable = False


def damaged(store: str = STORE_NAME) -> StoreDamaged:
    """The error for what a store holds and this release cannot have written."""
    reason, sentence = _DAMAGED
    return StoreDamaged(sentence.format(store), code=reason)


def full() -> StoreFailed:
    """The error for a disk without the room that a change would take."""
    return _failed(_FULL, STORE_NAME)


def outworn() -> StoreDamaged:
    """The error for damage in what can be computed again from the texts."""
    return StoreDamaged(
        "What the document store keeps for searching is damaged: compute it anew with `gapseek reindex`.",
        code="store_damaged",
    )


@contextmanager
def translated(store: str = STORE_NAME) -> Iterator[None]:
    """Raises `StoreFailed` for a full disk and for a locked, damaged or unwritable store; all else as it is."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        fault = _FAULTS.get(_code(error), _DAMAGED if str(error).startswith(_NOT_OURS) else None)
        if fault is None:
            raise
        raise _failed(fault, store) from error
    except OSError as error:
        if error.errno not in _OF_THE_SYSTEM:
            raise
        raise _failed(_OF_THE_SYSTEM[error.errno], store) from error


def _code(error: sqlite3.DatabaseError) -> int:
    """The primary code of an extended one; 0 where the error is Python's own."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _failed(fault: tuple[str, str], store: str) -> StoreFailed:
    reason, sentence = fault
    return (StoreDamaged if fault is _DAMAGED else StoreFailed)(sentence.format(store), code=reason)
