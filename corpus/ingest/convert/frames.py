"""What parent and child say to each other over a pipe: a length of eight bytes, then so many bytes."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, Final

LARGEST: Final = 200_000_000
"""Bytes in one frame; what a child says beyond it is not listened to."""

_LENGTH: Final = 8


def send(pipe: BinaryIO, header: dict[str, Any], data: bytes = b"") -> None:
    """Write a header of plain JSON, and data. Raises `OSError` when nobody reads."""
    head = json.dumps(header).encode()
    for frame in (head, data):
        pipe.write(len(frame).to_bytes(_LENGTH))
        pipe.write(frame)
    pipe.flush()


def receive(pipe: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """A header and its data, None when the other side is gone. Raises `ValueError` for what is no frame."""
    head, data = _frame(pipe), _frame(pipe)
    return None if head is None or data is None else (json.loads(head), data)


def _frame(pipe: BinaryIO) -> bytes | None:
    length = int.from_bytes(pipe.read(_LENGTH).rjust(_LENGTH, b"\xff"))
    if length == (1 << 8 * _LENGTH) - 1:
        return None
    if length > LARGEST:
        raise ValueError("a frame is too long")
    frame = pipe.read(length)
    return frame if len(frame) == length else None
