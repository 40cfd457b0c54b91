"""What a data folder holds that a restore would replace."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from corpus.places import PLACES, THREADS
from corpus.store.database import opened_read_only


def held_threads(folder: Path) -> int | None:
    """How many threads are kept there; None where a file of them cannot be read, which a restore may be to mend."""
    file = folder / PLACES[THREADS]
    if not file.is_file() or not file.stat().st_size:
        return 0
    try:
        with opened_read_only(file) as threads:
            return int(threads.execute("SELECT count(DISTINCT thread_id) FROM checkpoints").fetchone()[0])
    except sqlite3.DatabaseError:
        return None


def counted(threads: int | None) -> str:
    """That number in words."""
    if threads is None:
        return "threads that cannot be counted"
    return "1 thread" if threads == 1 else f"{threads or 'no'} threads"
