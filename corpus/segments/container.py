"""Named arrays in one file: mapped into memory when it is opened, put in place whole or not at all."""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_MAGIC: Final = b"gapseek\x01"
_TAIL: Final = struct.Struct("<QI8s")
"""At the very end: length and checksum of the table of arrays before it, and the magic again."""
_ALIGNED: Final = 64
_SAMPLE: Final = 4096
_BLOCK: Final = 1 << 24


class Damaged(ValueError):
    """The file is not one of ours, not whole, or was changed."""


@dataclass(frozen=True)
class _Entry:
    """Where an array lies, and the checksum of its first and last bytes: reading all of it would take too long."""

    dtype: str
    shape: list[int]
    offset: int
    sample: int


def write(path: Path, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write beside the path and rename over it, readable by the owner only. Raises `OSError`."""
    with _replacing(path) as file:
        file.write(_MAGIC)
        table = {name: _append(file, array) for name, array in arrays.items()}
        entries = {name: vars(entry) for name, entry in table.items()}
        footer = json.dumps({"about": about, "arrays": entries}).encode()
        file.write(footer + _TAIL.pack(len(footer), zlib.crc32(footer), _MAGIC))


def read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `write` was given, the arrays read-only. Raises `Damaged`, or `OSError` when there is no such file."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < len(_MAGIC) + _TAIL.size:
            raise Damaged("too short")
        whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        footer = _footer(whole)
        entries = {name: _Entry(**entry) for name, entry in footer["arrays"].items()}
        return footer["about"], {name: _array(whole, entry) for name, entry in entries.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged("the table of arrays cannot be read") from error


def drop_unfinished(folder: Path) -> None:
    """Remove what a process that was killed had begun to write."""
    for new in folder.glob(".*.new"):
        new.unlink()


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the path's place once it is whole and on disk."""
    new = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        new.unlink()
    try:
        with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _append(file: BinaryIO, array: NDArray[Any]) -> _Entry:
    file.write(b"\0" * (-file.tell() % _ALIGNED))
    offset, flat = file.tell(), np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    for start in range(0, len(flat), _BLOCK):
        file.write(flat[start : start + _BLOCK].data)
    return _Entry(array.dtype.str, list(array.shape), offset, _sample(flat))


def _array(whole: mmap.mmap, entry: _Entry) -> NDArray[Any]:
    dtype = np.dtype(entry.dtype)
    if dtype.hasobject or entry.offset < 0 or any(length < 0 for length in entry.shape):
        raise Damaged("an array of another kind")
    count = int(np.prod(entry.shape, dtype=np.int64))
    if entry.offset + count * dtype.itemsize > len(whole):
        raise Damaged("an array beyond the end")
    array = np.frombuffer(whole, dtype, count, entry.offset) if count else np.zeros(0, dtype)
    if _sample(array.view(np.uint8)) != entry.sample:
        raise Damaged("an array was changed")
    return array.reshape(entry.shape)


def _sample(flat: NDArray[np.uint8]) -> int:
    return zlib.crc32(flat[-_SAMPLE:].tobytes(), zlib.crc32(flat[:_SAMPLE].tobytes()))


def _footer(whole: mmap.mmap) -> dict[str, Any]:
    length, checksum, magic = _TAIL.unpack(whole[-_TAIL.size :])
    footer = whole[-_TAIL.size - length : -_TAIL.size] if length < len(whole) else b""
    if magic != _MAGIC or whole[: len(_MAGIC)] != _MAGIC or zlib.crc32(footer) != checksum:
        raise Damaged("not one of our files")
    table: dict[str, Any] = json.loads(footer)
    return table
