"""Rows of the store as the values that leave it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NoReturn

import numpy as np

from context.retrieval import Passage, Vectors
from corpus.documents import DocumentInfo
from corpus.store.faults import StoreDamaged, damaged, outworn

_TEXT: Final = frozenset({str})
_NUMBER: Final = frozenset({int})
_KINDS: Final = {
    **dict.fromkeys(("tenant", "doc_id", "version", "chunker", "title", "given", "extracted", "text"), _TEXT),
    **dict.fromkeys(("given_groups", "set_metadata", "groups", "metadata", "of_chunk", "counts"), _TEXT),
    **dict.fromkeys(("chunk_id", "heading", "key", "rules", "embedder", "part"), _TEXT),
    **dict.fromkeys(("id", "current", "version_id", "ordinal", "start", "end", "generation", "chunks"), _NUMBER),
    "set_groups": frozenset({str, type(None)}),
    "created": frozenset({float, type(None)}),
    "vector": frozenset({bytes}),
}
"""By the name of a column, what it may hold: SQLite itself keeps a text in a column of numbers."""
_DERIVED: Final = ("counts", "vector")
_YEAR_10000: Final = 253_402_300_800.0
"""In seconds since the epoch: no calendar shows what comes after."""


def checked(names: Sequence[str], found: list[sqlite3.Row]) -> list[sqlite3.Row]:
    """The rows, if each column holds what it may. Raises `StoreDamaged`."""
    for place, name in enumerate(names):
        kinds = _KINDS.get(name)
        if kinds and not kinds.issuperset({type(row[place]) for row in found}):
            raise outworn() if name in _DERIVED else damaged()
    return found


def merged(row: sqlite3.Row) -> dict[str, Any]:
    """A document's metadata: what was extracted, over it what was given, over that what was set by hand."""
    return {**object_of(row["extracted"]), **_said(row)}


def of_chunk(row: sqlite3.Row) -> dict[str, Any]:
    """As `merged`, with what was extracted from the chunk itself over what was from the document."""
    return {**object_of(row["extracted"]), **object_of(row["metadata"]), **_said(row)}


def own_of_chunk(row: sqlite3.Row, name: str) -> dict[str, Any]:
    """What was extracted from the chunk itself and neither given nor set by hand for its document."""
    own = object_of(row[name])
    return {key: own[key] for key in own.keys() - _said(row).keys()} if own else own


def _said(row: sqlite3.Row) -> dict[str, Any]:
    return {**object_of(row["given"]), **object_of(row["set_metadata"])}


def object_of(text: str) -> dict[str, Any]:
    """Most objects are empty, and each search reads dozens of them."""
    read = {} if text == "{}" else _json(text)
    if not isinstance(read, dict):
        raise damaged()
    return read


@lru_cache(maxsize=1_000)
def strings_of(text: str) -> tuple[str, ...]:
    """A list of texts, such as groups."""
    read = _json(text)
    if not isinstance(read, list) or not all(isinstance(one, str) for one in read):
        raise damaged()
    return tuple(read)


def counts_of(text: str) -> dict[str, int]:
    """Tokens with their frequencies."""
    try:
        read = _json(text)
    except StoreDamaged as error:
        raise outworn() from error
    if not isinstance(read, dict) or not {int}.issuperset(map(type, read.values())):
        raise outworn()
    return read


def vector_of(kept: bytes, dimension: int) -> Vectors:
    """Shape (dimension,)."""
    if len(kept) != 4 * dimension:
        raise outworn()
    return np.frombuffer(kept, "<f4")


def time_of(kept: float | None) -> float | None:
    """Seconds since the epoch."""
    if kept is not None and not 0 <= kept < _YEAR_10000:
        raise damaged()
    return kept


def _refused(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(parse_constant=_refused)
"""NaN and its like are no JSON, and no reply could hold them."""


def _json(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise damaged() from error


def info(row: sqlite3.Row) -> DocumentInfo:
    return DocumentInfo(
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        metadata=merged(row),
        groups=strings_of(row["groups"]),
        chunks=row["chunks"],
    )


def passage(row: sqlite3.Row) -> Passage:
    return Passage(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        heading=row["heading"],
        text=row["text"],
        metadata=of_chunk(row),
        start=row["start"],
        end=row["end"],
    )


def to_json(value: Mapping[str, Any] | Iterable[Any]) -> str:
    """Compact JSON; the keys of an object keep their order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
