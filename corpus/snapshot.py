"""The documents of a data folder in another one, without its threads: to look at them and leave the first as it is."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import errors
from corpus.lost import refuse_lost
from corpus.owner import Owner, owner_of
from corpus.places import PLACES, STORE
from corpus.store.database import opened_read_only
from corpus.store.faults import translated


def snapshot(folder: Path, target: Path) -> Owner | None:
    """Copy the document store as of this moment, and say who owns the folder, if anybody does.

    Nothing is written to the folder. Raises `errors.NotFound` when it holds no index, `errors.Conflict` when it has
    lost the one that it held, and `StoreFailed`.
    """
    refuse_lost(folder)
    source, copy = folder / PLACES[STORE], target / PLACES[STORE]
    if not source.is_file():
        raise errors.NotFound("The data folder holds no index of Gapseek: name another one with --data.")
    copy.parent.mkdir(parents=True, exist_ok=True)
    owner = owner_of(folder)
    with translated():
        if not _in_use(source, owner):
            _copy_files(source, copy)
            owner = owner_of(folder)  # one that began meanwhile may have written
        if _in_use(source, owner):
            _copy_while_used(source, copy)
    return owner


def _in_use(source: Path, owner: Owner | None) -> bool:
    """Whether the owner has the store open: without its log there is no writer, and looking in would make one."""
    return owner is not None and source.with_name(f"{STORE}-wal").exists()


def _copy_files(source: Path, copy: Path) -> None:
    """With the log that a killed process left: opening the store where it lies would work that in."""
    for suffix in ("", "-wal"):
        if (part := source.with_name(f"{STORE}{suffix}")).is_file():
            shutil.copyfile(part, copy.with_name(f"{STORE}{suffix}"))


def _copy_while_used(source: Path, copy: Path) -> None:
    for suffix in ("", "-wal"):
        copy.with_name(f"{STORE}{suffix}").unlink(missing_ok=True)
    with opened_read_only(source) as database, closing(sqlite3.connect(copy)) as written:
        database.backup(written)
