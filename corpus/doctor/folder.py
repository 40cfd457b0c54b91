"""The data folder: whether it can be written, who owns it, whether it holds what it should. Nothing is made in it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import errors
from context.doctor.findings import Finding
from corpus.lost import NO_THREADS, has_lost_threads, refuse_lost
from corpus.owner import owner_of
from corpus.reserve import RESERVE, free_at
from corpus.swap import holds_index

DATA: Final = "GAPSEEK_DATA"
ELSEWHERE: Final = "a folder in which this user may write"


async def look_at_folder(folder: Path) -> Finding:
    """Off the event loop: a folder may be on a slow disk."""
    return await asyncio.to_thread(_folder, folder)


async def look_at_owner(folder: Path) -> Finding:
    """Who owns the folder at this moment."""
    return await asyncio.to_thread(_owner, folder)


def _folder(folder: Path) -> Finding:
    try:
        if not folder.exists():
            return _to_be_made(folder)
        if not folder.is_dir():
            return Finding("fail", "The data folder's name is that of a file.", DATA, ELSEWHERE)
        with TemporaryFile(dir=folder):
            pass
        return _held(folder)
    except OSError:
        return Finding("fail", "The data folder cannot be written.", DATA, ELSEWHERE)


def _to_be_made(folder: Path) -> Finding:
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return Finding("ok", "The data folder is not there yet and will be made.")
    return Finding("fail", "The data folder is not there and cannot be made.", DATA, ELSEWHERE)


def _held(folder: Path) -> Finding:
    try:
        refuse_lost(folder)
    except errors.Conflict as error:
        return Finding("fail", error.sentence, DATA, "another folder, or put a backup back")
    if free_at(folder) < RESERVE:
        return Finding("warn", "The disk is full: nothing can be added.", DATA, "a folder on a disk with room")
    if has_lost_threads(folder):
        return Finding("warn", NO_THREADS)
    return Finding(
        "ok", f"The data folder can be written and holds {'an index' if holds_index(folder) else 'none yet'}."
    )


def _owner(folder: Path) -> Finding:
    try:
        owner = owner_of(folder)
    except errors.GapseekError as error:
        return Finding("fail", error.sentence, DATA, ELSEWHERE)
    except OSError:
        return Finding("fail", "The lock of the data folder cannot be taken.", DATA, ELSEWHERE)
    if owner is None:
        return Finding("ok", "No other process owns the data folder.")
    if owner.address:
        return Finding("ok", f"Process {owner.pid} serves the data folder; commands go through it.")
    return Finding("warn", f"Process {owner.pid} is at work in the data folder; nothing else can until it ends.")
