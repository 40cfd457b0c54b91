"""What SQLite and the disk may fail with, as errors that a person can act on."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import errors

_FULL: Final = ("disk_full", "The disk is full: nothing was changed; make room and try again.")
_FAILED: Final = ("disk_failed", "The disk is full or fails: nothing was changed; make room and try again.")
_LOCKED: Final = ("store_locked", "The document store is locked by another process: try again when that has ended.")
_DAMAGED: Final = ("store_damaged", "The document store is damaged: put a backup in its place with `gapseek restore`.")
_CLOSED: Final = ("store_unwritable", "The document store cannot be opened or written: look at its file permissions.")

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
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class StoreFailed(errors.Unavailable):
    """The store itself could not be read or written; no single document is to blame."""


@contextmanager
def translated() -> Iterator[None]:
    """Raises `StoreFailed` for a full disk and for a locked, damaged or unwritable store; all else as it is."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the primary code of an extended one
        if code not in _FAULTS:
            raise
        reason, sentence = _FAULTS[code]
        raise StoreFailed(sentence, code=reason) from error
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        reason, sentence = _FULL
        raise StoreFailed(sentence, code=reason) from error
