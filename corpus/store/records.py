"""What the store takes and gives: a version ready to be written, and the rows an index is built from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from corpus.documents import Chunk


@dataclass(frozen=True)
class ReadyChunk:
    """A chunk with its indexed text, and that text's hash, the key under which its terms and vector are kept."""

    chunk: Chunk
    indexed: str
    key: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class ReadyVersion:
    """One version of a document with everything that indexing it needs; `chunker` is the fingerprint of its cut."""

    tenant: str
    doc_id: str
    version: str
    chunker: str
    title: str
    metadata: Mapping[str, Any]
    groups: tuple[str, ...]
    text: str
    chunks: tuple[ReadyChunk, ...]
    extracted: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Present:
    """What is current of a document: its version, the groups it came with, and those that hold."""

    version: str
    given_groups: tuple[str, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk of a current version as a lane's match refers to it: everything but its text."""

    chunk_id: str
    doc_id: str
    version: str
    title: str
    metadata: dict[str, Any]
    groups: frozenset[str]
    start: int
    end: int
    key: str
