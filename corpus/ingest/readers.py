"""A file's name and bytes to a document: text as it is, records as tables, other kinds through the converter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from corpus.ingest.records import csv_text, json_lines_text, json_text
from corpus.ingest.sections import first_heading

_RECORDS: Final[Mapping[str, Callable[[str, int], str]]] = {
    ".csv": csv_text,
    ".json": lambda text, most_cells: json_text(text),
    ".jsonl": lambda text, most_cells: json_lines_text(text),
    ".ndjson": lambda text, most_cells: json_lines_text(text),
}
_MARKED: Final = (".md", ".markdown", ".txt")
"""Text that may begin with front matter."""

SUFFIXES: Final = (*_MARKED, *_RECORDS, *converter.SUFFIXES)


@dataclass(frozen=True)
class Given:
    """What is said about a file from outside; its own front matter, being nearer to it, is believed before."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()


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
    metadata, found = given.metadata, _place(path)
    if suffix in _RECORDS:
        text = _RECORDS[suffix](decode(data), converter.limits.cells)
        return NewDocument(doc_id, text, path.stem, metadata, given.groups, found)
    converted = converter.convert(path.name, data)
    title = first_heading(converted.text) or converted.title or path.stem
    return NewDocument(doc_id, converted.text, title, metadata, given.groups, found)


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
    own, body = front_matter.split(decode(data))
    title = own.pop("title", None)
    return NewDocument(
        doc_id=str(path),
        text=body,
        title=str(title) if title is not None else first_heading(body) or path.stem,
        groups=front_matter.groups(own.pop("access", None)) or given.groups,
        metadata={**given.metadata, **own},
        extracted=_place(path),
    )


def _place(path: PurePosixPath) -> dict[str, Any]:
    """Where the file stands: its name, and its folders from the top, by each of which a filter finds it."""
    return {"file": path.name} | ({"folder": list(path.parts[:-1])} if len(path.parts) > 1 else {})
