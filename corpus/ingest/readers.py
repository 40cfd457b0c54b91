"""A file's name and bytes to a document: text as it is, other kinds through the converter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

import errors
from corpus.documents import NewDocument
from corpus.ingest import front_matter
from corpus.ingest.convert import converter
from corpus.ingest.convert.converter import Converter
from corpus.ingest.convert.limits import Limits
from corpus.ingest.decode import decode
from corpus.ingest.sections import first_heading

_MARKED: Final = (".md", ".markdown", ".txt")
"""Text that may begin with front matter."""

SUFFIXES: Final = (*_MARKED, *converter.SUFFIXES)


@dataclass(frozen=True)
class Given:
    """What is said about a file from outside; its own front matter, being nearer to it, is believed before."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    groups: frozenset[str] | None = None


NOTHING: Final = Given()


def read(doc_id: str, data: bytes, converter: Converter, given: Given = NOTHING) -> NewDocument:
    """A document of this file, with its name and folders as metadata unless those are given.

    Blocks while it converts. Raises `errors.BadRequest` with the sentence why the file cannot be used.
    """
    path = PurePosixPath(doc_id)
    suffix = path.suffix.lower()
    check_kind(doc_id)
    check_size(len(data), converter.limits)
    if suffix in _MARKED:
        return _marked(path, data, given)
    converted = converter.convert(path.name, data)
    title = first_heading(converted.text) or converted.title or path.stem
    found, notes = _place(path), _notes(converted.note)
    return NewDocument(doc_id, converted.text, title, given.metadata, given.groups, found, notes)


def check_kind(name: str) -> None:
    """Raise `errors.BadRequest` unless files of this suffix are read."""
    if PurePosixPath(name).suffix.lower() not in SUFFIXES:
        raise errors.BadRequest(f"Files of this kind are not read; these are: {', '.join(SUFFIXES)}.")


def check_size(size: int, limits: Limits) -> None:
    """Raise `errors.BadRequest` for a file that is empty or over the limit."""
    if size == 0:
        raise errors.BadRequest("The file is empty.")
    if size > limits.file_bytes:
        raise errors.BadRequest(f"The file is larger than {limits.file_bytes:,} bytes.")


def _marked(path: PurePosixPath, data: bytes, given: Given) -> NewDocument:
    decoded = decode(data)
    own, body = front_matter.split(decoded.text)
    title = own.pop("title", None)
    groups = front_matter.groups(own.pop("access")) if "access" in own else None
    return NewDocument(
        doc_id=str(path),
        text=body,
        title=str(title) if title is not None else first_heading(body) or path.stem,
        groups=groups or (groups if given.groups is None else given.groups),
        metadata={**given.metadata, **own},
        extracted=_place(path),
        notes=_notes(decoded.note),
    )


def _notes(note: str | None) -> tuple[str, ...]:
    return () if note is None else (note,)


def _place(path: PurePosixPath) -> dict[str, Any]:
    """Where the file stands: its name, and its folders from the top, by each of which a filter finds it."""
    return {"file": path.name} | ({"folder": list(path.parts[:-1])} if len(path.parts) > 1 else {})
