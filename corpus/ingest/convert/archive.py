"""The zip that a docx, pptx or xlsx is: looked at before anything in it is unpacked."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Final

import errors
from corpus.ingest.convert.limits import Limits
from corpus.zips import UNREADABLE

OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Starts both the formats of before 2007 and an encrypted file of today's."""

_MOST_PARTS: Final = 10_000
_STEEPEST: Final = 400
"""Unpacked to packed bytes; a real text of one repeated sentence reached 92, deflate can do 1,032."""

_STEEP_FROM: Final = 10_000_000
"""Bytes under which a part may be as steep as it likes."""

_STEP: Final = 1_048_576
_MARKUP: Final = re.compile(r".*\.(?:xml|rels|vml)", re.IGNORECASE)
_DOCTYPE: Final = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def check(data: bytes, main: str, limits: Limits) -> None:
    """Raise `errors.BadRequest` unless this is a harmless zip with the part that the format needs."""
    if data.startswith(OLE):
        raise errors.BadRequest("The file is encrypted, or of a format from before 2007.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            _check_directory(parts, main, limits)
            _check_contents(archive, parts, limits)
    except (*UNREADABLE, ValueError, OSError) as error:
        # The last two come of offsets before the start: the bytes are in memory, and no disk is read.
        raise errors.BadRequest("The file is damaged, or of another kind than its name says.") from error


def _check_directory(parts: list[zipfile.ZipInfo], main: str, limits: Limits) -> None:
    if not any(part.filename.lower() == main for part in parts):
        raise errors.BadRequest("The file is of another kind than its name says.")
    if any(part.flag_bits & 1 for part in parts):
        raise errors.BadRequest("The file is encrypted.")
    steep = any(part.file_size > max(_STEEP_FROM, _STEEPEST * part.compress_size) for part in parts)
    if steep or len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > limits.unpacked_bytes:
        raise errors.BadRequest("The file unpacks to more than is allowed.")


def _check_contents(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo], limits: Limits) -> None:
    """Unpack the markup piece by piece: the directory may lie about sizes, and no part needs a document type."""
    left = limits.unpacked_bytes
    for part in parts:
        if not _MARKUP.fullmatch(part.filename):
            continue
        with archive.open(part) as unpacked:
            tail = b""
            while piece := unpacked.read(_STEP):
                left -= len(piece)
                if left < 0:
                    raise errors.BadRequest("The file unpacks to more than is allowed.")
                if _DOCTYPE.search(tail + piece.replace(b"\0", b"")):
                    raise errors.BadRequest("The file declares entities of its own, which no office program writes.")
                tail = piece[-16:]
