"""A backup put in the place of a data folder: wholly unpacked and verified first, then swapped in, even if cut off."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import zipfile
from pathlib import Path
from typing import IO, Final

from pydantic import TypeAdapter

import errors
from corpus.held import counted, held_threads
from corpus.manifest import FORM, MANIFEST, Manifest, Packed
from corpus.places import ORIGINS, PLACES, STORE
from corpus.store.faults import translated
from corpus.store.schema import SCHEMA
from corpus.swap import INCOMING, READY, finish_swap
from corpus.verify import DAMAGED, verify
from corpus.zips import UNREADABLE

_BLOCK: Final = 1 << 20
_LARGEST_MANIFEST: Final = 1_000_000
_NO_BACKUP: Final = "The file is no backup of Gapseek."
_MANIFESTS: Final = TypeAdapter(Manifest)


def restore(source: Path, folder: Path, *, replace: bool = False) -> Manifest:
    """Put a backup into a folder that this process owns. What is there stays until all of the backup is verified.

    Raises `errors.Conflict` when the folder holds something and may not be replaced, `errors.BadRequest` for a file
    that is no backup, is damaged, or is of a newer release.
    """
    if not replace and any((folder / place.parts[0]).exists() for place in PLACES.values()):
        raise errors.Conflict(
            f"The data folder is not empty: name another one, or replace all that it holds with `--force`, "
            f"{counted(held_threads(folder))} among it."
        )
    if not source.exists():
        raise errors.NotFound("There is no such file to restore.")
    if not source.is_file():  # a device or a pipe may never end
        raise errors.BadRequest(_NO_BACKUP)
    incoming = folder / INCOMING
    try:
        with translated():
            shutil.rmtree(incoming, ignore_errors=True)
            incoming.mkdir()
            manifest = _unpacked(source, incoming)
            verify(manifest, incoming)
            (incoming / READY).touch()
    except BaseException:
        shutil.rmtree(incoming, ignore_errors=True)
        raise
    finish_swap(folder)
    return manifest


def _unpacked(source: Path, incoming: Path) -> Manifest:
    """Only the names that this release writes are read, so no name in the archive is ever a path here."""
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _manifest(archive)
            origins = {ORIGINS: manifest.origins} if manifest.origins else {}
            for name, told in (manifest.files | origins).items():
                with archive.open(name) as packed, (incoming / name).open("xb") as written:
                    _copy(packed, written, told)
    except UNREADABLE as error:
        raise errors.BadRequest(_NO_BACKUP if not zipfile.is_zipfile(source) else DAMAGED) from error
    except (KeyError, ValueError) as error:
        raise errors.BadRequest(DAMAGED) from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # which comes of an offset before the start
            raise
        raise errors.BadRequest(DAMAGED) from error
    return manifest


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    if MANIFEST not in archive.namelist() or archive.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
        raise errors.BadRequest(_NO_BACKUP)
    try:
        manifest = _MANIFESTS.validate_json(archive.read(MANIFEST))
    except ValueError as error:
        raise errors.BadRequest(_NO_BACKUP) from error
    if STORE not in manifest.files or not manifest.files.keys() <= PLACES.keys():
        raise errors.BadRequest(_NO_BACKUP)
    if manifest.form > FORM or manifest.schema > SCHEMA:
        raise errors.BadRequest("The backup was made by a newer release: restore it with that one.")
    return manifest


def _copy(packed: IO[bytes], written: IO[bytes], told: Packed) -> None:
    """No more than the manifest announces is written, whatever the archive unpacks to."""
    found, left = hashlib.sha256(), told.bytes
    while block := packed.read(min(_BLOCK, left + 1)):
        left -= len(block)
        if left < 0:
            break
        found.update(block)
        written.write(block)
    written.flush()
    os.fsync(written.fileno())
    if left or found.hexdigest() != told.sha256:
        raise errors.BadRequest(DAMAGED)
