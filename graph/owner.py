"""One process owns a data folder: a lock that the system takes back when the process ends, and the owner's address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from errors import Conflict

_LOCK: Final = "owner.lock"
_ADDRESS: Final = "owner.address"


@contextmanager
def owner(folder: Path, address: str | None) -> Iterator[None]:
    """Own the folder. `address` is where a server will answer for it, None for a command that only passes through.

    Raises `Conflict` when another process has it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout as taken:
        raise Conflict(
            "Another Gapseek process owns this data folder; one process, with one worker, is all that is supported.",
            code="folder_owned",
        ) from taken
    note = folder / _ADDRESS
    try:
        note.write_text(address or "", encoding="utf-8")
        yield
    finally:
        note.unlink(missing_ok=True)
        lock.release()


def owner_address(folder: Path) -> str | None:
    """Where the server that owns this folder answers, such as http://127.0.0.1:8765; None when no server does."""
    try:
        address = (folder / _ADDRESS).read_text(encoding="utf-8")
        with FileLock(folder / _LOCK).acquire(timeout=0):
            return None  # nobody holds the lock: what was read was left by a process that was killed
    except FileNotFoundError:
        return None
    except Timeout:
        return address or None
