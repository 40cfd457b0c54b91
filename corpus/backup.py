"""A data folder as one file: consistent copies of its databases, and a manifest that says what they are."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import sqlite3
import tempfile
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Final

import errors
from corpus.ingest.origins import parsed
from corpus.lost import refuse_lost
from corpus.manifest import FORM, MANIFEST, Manifest, Packed, identity
from corpus.places import ORIGINS, PLACES, STORE, THREADS
from corpus.store.database import opened_read_only
from corpus.store.faults import STORE_NAME, THREADS_NAME, damaged, translated
from corpus.store.schema import SCHEMA
from corpus.verify import verify

_BLOCK: Final = 1 << 20
_NAMES: Final = {STORE: STORE_NAME, THREADS: THREADS_NAME}


def backup(folder: Path, target: Path, *, replace: bool = False) -> Manifest:
    """Write the data folder, in use or not, into a new file that only this user can read.

    Raises `errors.NotFound` when there is nothing to back up, `errors.Conflict` when the file exists or the store is
    gone or damaged, `errors.BadRequest` for a target inside the data folder or one that is no file.
    """
    refuse_lost(folder)
    if not (folder / PLACES[STORE]).is_file():
        raise errors.NotFound("There is no index in the data folder to back up.")
    if target.exists() and not target.is_file():
        raise errors.BadRequest("A backup goes into a regular file, which this is not: name another one.")
    if not target.absolute().parent.is_dir():
        raise errors.BadRequest("There is no such folder for the backup: make it, or name another file.")
    if _inside(target, folder):
        raise errors.BadRequest("A backup goes into a file outside the data folder: name another one.")
    if target.exists() and not replace:
        raise errors.Conflict("The backup's file exists already: name another one, or replace it with `--force`.")
    # Beside the target, so that the last step is a rename within one file system.
    with (
        translated("file of the backup"),
        tempfile.TemporaryDirectory(prefix=".gapseek-backup-", dir=target.absolute().parent) as work,
    ):
        copies = {name: _copied(folder / place, Path(work) / name) for name, place in PLACES.items()}
        origins = _copied_origins(folder, Path(work))
        manifest = _manifest({name: copy for name, copy in copies.items() if copy}, origins)
        _check_restorable(manifest, Path(work))
        packed = Path(work) / "packed"
        _pack(packed, manifest, [copy for copy in (*copies.values(), origins) if copy])
        packed.replace(target)
    return manifest


def _inside(target: Path, folder: Path) -> bool:
    """Whether the target, or what it points to, lies in the data folder, whatever names or links lead there."""
    kept = [folder, *{(folder / place).parent for place in PLACES.values()}]
    above = {*target.absolute().parents, target.parent.resolve(), *target.resolve().parents}
    inside = any(parent.samefile(place) for parent in above if parent.is_dir() for place in kept if place.is_dir())
    held = (folder / place for place in PLACES.values())
    return inside or any(target.samefile(place) for place in held if target.exists() and place.exists())


def _copied(source: Path, copy: Path) -> Path | None:
    """The database as of one moment, whoever writes to it meanwhile; None when there is none."""
    if not source.is_file():
        return None
    with translated(_NAMES[copy.name]), opened_read_only(source) as database, closing(sqlite3.connect(copy)) as written:
        database.backup(written)
        written.execute("PRAGMA journal_mode = DELETE")  # so that the copy is one file
    return copy


def _copied_origins(folder: Path, work: Path) -> Path | None:
    """Read before the archive is written, as it is replaced whole. Raises `errors.Conflict` for one that is damaged."""
    try:
        content = (folder / ORIGINS).read_bytes()
    except FileNotFoundError:
        return None
    parsed(content)
    (work / ORIGINS).write_bytes(content)
    return work / ORIGINS


def _check_restorable(manifest: Manifest, copies: Path) -> None:
    """A backup that no restore takes would be found out too late. One of an older schema is looked at when restored."""
    if manifest.schema != SCHEMA:
        return
    for name, packed in manifest.files.items():
        try:
            verify(dataclasses.replace(manifest, files={name: packed}), copies)
        except errors.BadRequest as error:
            raise damaged(_NAMES[name]) from error


def _manifest(copies: dict[str, Path], origins: Path | None) -> Manifest:
    with translated(), closing(sqlite3.connect(copies[STORE])) as store:
        schema, generation, fingerprints = identity(store)
    files = {name: _packed(copy) for name, copy in copies.items()}
    return Manifest(FORM, time.time(), schema, generation, fingerprints, files, _packed(origins) if origins else None)


def _packed(copy: Path) -> Packed:
    return Packed(copy.stat().st_size, _digest(copy))


def _pack(packed: Path, manifest: Manifest, copies: list[Path]) -> None:
    descriptor = os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(MANIFEST, json.dumps(dataclasses.asdict(manifest), ensure_ascii=False, indent=2))
            for copy in copies:
                archive.write(copy, copy.name)
        file.flush()
        os.fsync(file.fileno())


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as read:
        while block := read.read(_BLOCK):
            found.update(block)
    return found.hexdigest()
