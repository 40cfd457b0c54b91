"""One process owns a data folder; others can find out which, and at what address it serves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

import errors
from corpus.places import PLACES, STORE
from corpus.reserve import RESERVE, Reserve, free_at
from corpus.store.faults import translated
from corpus.swap import finish_swap

_NAME: Final = "data folder"
_LOCK: Final = "owner.lock"
_PATIENCE_S: Final = 1.0
"""Longer than `owner_of` holds the lock when it looks."""


@dataclass(frozen=True)
class Owner:
    """A running process; `address` is a URL when it serves, None when it is a command, and `key` opens it to commands
    of whoever may read the folder."""

    pid: int
    address: str | None
    key: str | None = None


class DataFolder:
    """A folder that this process owns while `acquire` lasts."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self._reserve = Reserve(folder / PLACES[STORE])
        self.short = free_at(folder) < RESERVE
        """Whether the disk is as good as full, so that the room kept for this was given up."""
        if self.short:
            self._reserve.give()

    def keep_room(self) -> None:
        """Keep some room for the day on which the disk is full, once there is a store."""
        if self.short:
            self._reserve.take_back()
        else:
            self._reserve.keep()

    @classmethod
    @contextmanager
    def acquire(cls, folder: Path, address: str | None = None, key: str | None = None) -> Iterator[DataFolder]:
        """Own the folder, made if need be. Raises `errors.Conflict`, which names the owner, when it is taken, and
        `StoreFailed` when it cannot be made or written.

        The system drops the lock with its process, so what a killed one leaves behind is no obstacle. Where nothing was
        and nothing came of it, nothing is left.
        """
        made = _missing(folder)
        empty = bool(made) or (folder.is_dir() and not any(folder.iterdir()))
        lock = _taken_lock(folder)
        try:
            with translated(_NAME):
                finish_swap(folder)
                owned = cls(folder)
                owned.publish(address, key)
            try:
                yield owned
            finally:
                owned._leave()
        except BaseException:
            if empty:
                _clear(folder, made)
            raise
        finally:
            lock.release()

    def _leave(self) -> None:
        with suppress(FileNotFoundError):
            _note(self.path).unlink()
        with translated(_NAME):
            self.keep_room()

    def publish(self, address: str | None, key: str | None = None) -> None:
        """Say where this process serves, once it knows; only its own user may read that."""
        written = _note(self.path).with_suffix(".new")
        with suppress(FileNotFoundError):
            written.unlink()  # an old one may be open to others
        with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as note:
            json.dump(asdict(Owner(os.getpid(), address, key)), note)
        written.replace(_note(self.path))


def owner_of(folder: Path) -> Owner | None:
    """The process that owns the folder at this moment, None when none does. Raises `StoreFailed`."""
    if not folder.is_dir():
        return None
    lock = _lock(folder)
    try:
        with translated(_NAME):
            lock.acquire(timeout=0)
    except Timeout:
        return _read(folder)
    lock.release()
    return None


def _missing(folder: Path) -> list[Path]:
    """The folder and those above it that are still to be made, innermost first."""
    return [place for place in (folder, *folder.parents) if not place.exists()]


def _clear(folder: Path, made: list[Path]) -> None:
    """Take the lock's file away, and the folders that were made for it. Who waits for the lock finds its file gone
    and makes another: `filelock` looks."""
    if [entry.name for entry in folder.iterdir()] != [_LOCK]:
        return
    with suppress(OSError):  # a system that keeps open files, or somebody who has put something there since
        (folder / _LOCK).unlink()
        for place in made:
            place.rmdir()


def _taken_lock(folder: Path) -> FileLock:
    lock = _lock(folder)
    try:
        with translated(_NAME):
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=_PATIENCE_S)
    except Timeout as error:
        raise errors.Conflict(_taken(_read(folder))) from error
    except OSError as error:  # a file in the way, or a place where nothing can be made
        raise errors.BadRequest("The data folder cannot be made there: name another one.") from error
    return lock


def _taken(owner: Owner | None) -> str:
    who = "another process" if owner is None else f"process {owner.pid}"
    where = f" that serves at {owner.address}" if owner and owner.address else ""
    return f"The data folder is in use by {who}{where}; one process at a time may use it, so a server has one worker."


def _read(folder: Path) -> Owner | None:
    """What the owner wrote; None in the moment before it has."""
    try:
        return Owner(**json.loads(_note(folder).read_text("utf-8")))
    except (OSError, TypeError, ValueError):
        return None


def _lock(folder: Path) -> FileLock:
    # Not bound to a thread: a server may end on another one than it began on.
    return FileLock(folder / _LOCK, thread_local=False)


def _note(folder: Path) -> Path:
    return folder / "owner.json"
