"""A data folder that held a store and holds it no more is not a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import errors
from corpus.places import PLACES, STORE, THREADS

NO_THREADS: Final = (
    "The file of threads is gone, or emptied, beside documents: if there were threads, put a backup in its place "
    "with `gapseek restore`."
)


def has_lost_threads(folder: Path) -> bool:
    """Whether there is a store and, though every start makes one, no file of threads beside it."""
    return bool(_size(folder / PLACES[STORE])) and not _size(folder / PLACES[THREADS])


def refuse_lost(folder: Path) -> None:
    """Raises `errors.Conflict` when the store is gone or emptied beside what only a store can have left there."""
    store = folder / PLACES[STORE]
    if _size(store) or not _left(folder, store):
        return
    raise errors.Conflict(
        "The document store is gone, or emptied, and what was derived from it is still there: put a backup in its "
        "place with `gapseek restore`, or use a new data folder.",
        code="store_damaged",
    )


def _left(folder: Path, store: Path) -> bool:
    """Threads are made after the store, and so is whatever is derived from it; its log ends with it.

    A first start that was cut off leaves an empty file and perhaps its `-journal`: those are no sign.
    """
    others = any(_size(folder / place) for place in PLACES.values() if place != PLACES[STORE])
    beside = store.parent.iterdir() if store.parent.is_dir() else ()
    derived = any(not entry.name.startswith(STORE) for entry in beside)
    return others or derived or bool(_size(store.with_name(f"{STORE}-wal")))


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
