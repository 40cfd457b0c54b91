"""A verified restore moved to its place, in steps that may be cut off anywhere and repeated."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from corpus.places import ORIGINS, PLACES, STORE

INCOMING: Final = "incoming"
READY: Final = "ready"
"""A file beside what is unpacked, there once all of it is verified: from then on it is what the folder holds."""
_CLEARED: Final = "cleared"


def holds_index(folder: Path) -> bool:
    """Whether there is an index in this data folder, or a verified one that only has to be moved to its place."""
    return (folder / PLACES[STORE]).is_file() or (folder / INCOMING / READY).is_file()


def finish_swap(folder: Path) -> None:
    """Finish a restore that was cut off, or, where it was not yet verified, forget it. Every owner calls this first."""
    incoming = folder / INCOMING
    if not incoming.is_dir():
        return
    if (incoming / READY).is_file():
        if not (incoming / _CLEARED).is_file():
            for place in PLACES.values():
                _clear(folder, place)
            (incoming / _CLEARED).touch()
        # Without origins in the backup those of this folder stay: they name files of this machine.
        for name, place in (*PLACES.items(), (ORIGINS, Path(ORIGINS))):
            if (incoming / name).is_file():
                (folder / place).parent.mkdir(exist_ok=True)
                (incoming / name).replace(folder / place)
        (incoming / READY).unlink()
    shutil.rmtree(incoming)


def _clear(folder: Path, place: Path) -> None:
    """A database with its log, or the whole folder that it stands in, whose other files are derived from it."""
    if len(place.parts) > 1:
        # Nothing may be left: what is derived from the old store could be taken for the new one's.
        with suppress(FileNotFoundError):
            shutil.rmtree(folder / place.parts[0])
        return
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            (folder / f"{place}{suffix}").unlink()
