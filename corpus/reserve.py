"""Room kept on the disk for the day on which it is full: enough to start, to answer and to delete."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Final

RESERVE: Final = 4 << 20
"""Bytes: logs and notes of a start take a tenth of it, the deletion of a document of a thousand chunks most."""
_BLOCK: Final = 1 << 16
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)


class Reserve:
    """A file of no meaning beside the store, whose room is given up when there is no other."""

    def __init__(self, store: Path) -> None:
        self._file = store.with_name(f"{store.name}-reserve")

    def keep(self) -> None:
        """Take the room, where so much of it is left that nobody misses it."""
        if self._file.parent.is_dir() and not self._file.exists() and free_at(self._file.parent) > 4 * RESERVE:
            self._fill()

    def give(self) -> bool:
        """Give the room up; False when there is none."""
        if not self._file.exists():
            return False
        self._file.unlink()
        return True

    def take_back(self) -> None:
        """Take again what is left of the room that was given up."""
        if self._file.parent.is_dir() and not self._file.exists():
            self._fill()

    def _fill(self) -> None:
        """Random bytes: some file systems keep no room for what they can compress."""
        with self._file.open("xb", buffering=0) as file:
            while (missing := RESERVE - file.tell()) > 0:
                try:
                    file.write(os.urandom(min(_BLOCK, missing)))
                except OSError as error:
                    if error.errno not in _NO_ROOM:
                        raise
                    return


def free_at(folder: Path) -> int:
    """Bytes that this user may still write there."""
    return shutil.disk_usage(folder).free
