"""Documents as given, the chunks cut from them, and the ids of both."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import errors
from text.normalise import printable

LONGEST_ID: Final = 512
_BREAKS: Final = frozenset("\n\f\t\u2028\u2029")
_PARTS: Final = re.compile(r"[/\\]")
_UPWARDS: Final = frozenset({".", ".."})
_ABSOLUTE: Final = re.compile(r"[/\\]|[A-Za-z]:[/\\]")
_LARGEST_METADATA: Final = 64_000
_DEEPEST_METADATA: Final = 8


@dataclass(frozen=True)
class NewDocument:
    """A document to index. Groups of None say nothing of access: a known document keeps its own, a new one is open.

    An empty set opens it to every principal of the tenant. `notes` go into its outcome.
    """

    doc_id: str
    text: str
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    groups: frozenset[str] | None = None
    extracted: Mapping[str, Any] = field(default_factory=dict)
    """What was found in the document rather than given with it: `metadata` goes over it."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DocumentInfo:
    """A document as a list shows it; `metadata` is extracted < given < set by hand, merged."""

    doc_id: str
    version: str
    title: str
    metadata: dict[str, Any]
    groups: tuple[str, ...]
    chunks: int


@dataclass(frozen=True)
class Chunk:
    """A retrievable piece: `document.text[start:end] == text`; `heading` is the path of headings above it."""

    chunk_id: str
    heading: str
    text: str
    start: int
    end: int
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What became of one document; `sentence` says what went wrong, `found` what a new version states about itself.

    `code` is that of the error that made it fail, `notes` what its owner should know although it did not.
    """

    doc_id: str
    result: Literal["added", "updated", "unchanged", "failed"]
    chunks: int = 0
    sentence: str | None = None
    found: str | None = None
    code: str | None = None
    notes: tuple[str, ...] = ()


def failed(doc_id: str, error: errors.GapseekError) -> Outcome:
    """The outcome of a document that this error kept out."""
    return Outcome(doc_id, "failed", sentence=error.sentence, code=error.reason)


def digest(text: str) -> str:
    """SHA-256 of the text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def chunk_id(doc_id: str, text: str) -> str:
    """The document's id and the hash of the chunk's text: the same text in one document is one chunk."""
    return f"{doc_id}#{digest(text)[:16]}"


def indexed_text(title: str, heading: str, text: str) -> str:
    """What both lanes see of a chunk: title, headings, text."""
    return "\n".join(part for part in (title, heading, text) if part)


def checked(document: NewDocument) -> NewDocument:
    """The document with text that can be stored and metadata in plain JSON types. Raises `errors.BadRequest`."""
    doc_id = _checked_id(document.doc_id)
    title = " ".join(printable(document.title or "").split()) or None
    metadata, extracted = plain_metadata(document.metadata), plain_metadata(document.extracted)
    return NewDocument(doc_id, printable(document.text), title, metadata, document.groups, extracted, document.notes)


def _checked_id(doc_id: str) -> str:
    """The id, in any script, with `/` between folders. What can stand in no address is refused: HTTP clients take the
    parts `.` and `..` out of one."""
    if not doc_id.strip() or len(doc_id) > LONGEST_ID or _BREAKS & set(doc_id) or printable(doc_id) != doc_id:
        raise errors.BadRequest(f"A doc_id is 1 to {LONGEST_ID} printable characters on one line.")
    if _ABSOLUTE.match(doc_id) or not _UPWARDS.isdisjoint(_PARTS.split(doc_id)):
        raise errors.BadRequest("A doc_id is a path below the knowledge base: it begins with no `/` and has no `..`.")
    return doc_id


def plain_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata in JSON types, dates as ISO strings. Raises `errors.BadRequest` for anything else."""
    plain = {_key(key): _plain(value, 1) for key, value in metadata.items()}
    if len(json.dumps(plain, ensure_ascii=False)) > _LARGEST_METADATA:
        raise errors.BadRequest(f"The metadata of a document is at most {_LARGEST_METADATA} characters.")
    return plain


def _key(key: object) -> str:
    if not isinstance(key, str) or not key or key.startswith("$"):
        raise errors.BadRequest("A metadata name is a text that does not start with '$'.")
    return printable(key)


def _plain(value: object, depth: int) -> Any:
    if depth > _DEEPEST_METADATA:
        raise errors.BadRequest(f"Metadata is nested at most {_DEEPEST_METADATA} deep.")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, float) and value - value == 0:
        return value
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, depth + 1) for key, item in value.items()}
    raise errors.BadRequest("Metadata holds texts, numbers, true, false, null, dates, lists and objects only.")
