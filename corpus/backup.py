"""A data folder as one file: consistent copies of its databases, and a manifest that says what they are."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import time
import zipfile
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import errors
from corpus.places import PLACES, STORE
from corpus.store.database import opened_read_only
from corpus.store.faults import translated

FORM: Final = 1
MANIFEST: Final = "manifest.json"
_BLOCK: Final = 1 << 20


@dataclass(frozen=True)
class Packed:
    """One file of a backup."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a backup holds, and of the store its schema, generation and fingerprints."""

    form: int
    created: float
    schema: int
    generation: int
    fingerprints: dict[str, str]
    files: dict[str, Packed]


def backup(folder: Path, target: Path, *, replace: bool = False) -> Manifest:
    """Write the data folder, in use or not, into a new file that only this user can read.

    Raises `errors.NotFound` when there is nothing to back up, `errors.Conflict` when the file exists.
    """
    if not (folder / PLACES[STORE]).is_file():
        raise errors.NotFound("There is no index in the data folder to back up.")
    if target.exists() and not replace:
        raise errors.Conflict("The backup's file exists already: name another one, or replace it with `--force`.")
    # Beside the target, so that the last step is a rename within one file system.
    with translated(), tempfile.TemporaryDirectory(prefix=".gapseek-backup-", dir=target.absolute().parent) as work:
        copies = {name: _copied(folder / place, Path(work) / name) for name, place in PLACES.items()}
        manifest = _manifest({name: copy for name, copy in copies.items() if copy})
        packed = Path(work) / "packed"
        _pack(packed, manifest, [copy for copy in copies.values() if copy])
        packed.replace(target)
    return manifest


def _copied(source: Path, copy: Path) -> Path | None:
    """The database as of one moment, whoever writes to it meanwhile; None when there is none."""
    if not source.is_file():
        return None
    with opened_read_only(source) as database, closing(sqlite3.connect(copy)) as written:
        database.backup(written)
        written.execute("PRAGMA journal_mode = DELETE")  # so that the copy is one file
    return copy


def _manifest(copies: dict[str, Path]) -> Manifest:
    with closing(sqlite3.connect(copies[STORE])) as store:
        schema, generation, fingerprints = identity(store)
    files = {name: Packed(copy.stat().st_size, _digest(copy)) for name, copy in copies.items()}
    return Manifest(FORM, time.time(), schema, generation, fingerprints, files)


def identity(store: sqlite3.Connection) -> tuple[int, int, dict[str, str]]:
    """Schema, generation and fingerprints of a store; one of schema 1 keeps no fingerprints."""
    schema = int(store.execute("PRAGMA user_version").fetchone()[0])
    generation = int(store.execute("SELECT value FROM counters WHERE name = 'generation'").fetchone()[0])
    kept = store.execute("SELECT part, value FROM fingerprints").fetchall() if schema > 1 else []
    return schema, generation, dict(kept)


def _pack(packed: Path, manifest: Manifest, copies: list[Path]) -> None:
    descriptor = os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), ensure_ascii=False, indent=2))
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
