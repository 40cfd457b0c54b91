"""A segment: an immutable set of chunks with their records, inverted index and vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from context.retrieval import Vectors
from corpus.segments.fields import Fields
from corpus.segments.inverted import Inverted
from corpus.segments.quantised import Quantised
from corpus.segments.records import Records
from corpus.segments.rows import Row
from corpus.segments.sayings import Sayings
from corpus.segments.texts import Integers, Interned, Places, Runs, Texts, interleaved

QUANTISED_FROM: Final = 2_000
"""Rows from which two passes beat one over the whole vectors (docs/decisions/0011)."""

Arrays = dict[str, NDArray[Any]]
Load = Callable[[Sequence[str]], Vectors]
"""Keys of indexed texts to their vectors, shape (keys, dimension)."""

_NESTED: Final[dict[str, type[Any]]] = {"Texts": Texts, "Interned": Interned, "Runs": Runs, "Sayings": Sayings}

T = TypeVar("T")


@dataclass(frozen=True)
class Segment:
    """Rows by ascending chunk_id. `vectors` has a row each, or is None where the vector lane is off."""

    records: Records
    inverted: Inverted
    vectors: Vectors | None
    quantised: Quantised | None = None

    @classmethod
    def of(cls, rows: Sequence[Row], load: Load | None = None) -> Segment:
        """From rows in any order."""
        # Characters sort as their UTF-8 does, which is how a segment is searched by id.
        ordered = sorted(rows, key=lambda row: row.chunk_id)
        vectors = None if load is None else load([row.key for row in ordered])
        return cls(Records.of(ordered), Inverted.of(row.counts for row in ordered), vectors)

    def __len__(self) -> int:
        return len(self.records)

    @cached_property
    def fields(self) -> Fields:
        """Metadata by field, for filters."""
        return Fields(self.records)

    def rows_of_vectors(self, rows: Places) -> Vectors:
        """The vectors of these rows, of no dimension where the vector lane is off."""
        return np.zeros((len(rows), 0), np.float32) if self.vectors is None else self.vectors[rows]

    def take(self, rows: Places) -> Segment:
        """These rows only, ascending."""
        vectors = None if self.vectors is None else self.vectors[rows]
        return Segment(self.records.take(rows), self.inverted.take(rows), vectors)

    def merged(self, other: Segment) -> Segment:
        """The rows of both; no document is in both."""
        own, others = interleaved(self.records.chunk_ids, other.records.chunk_ids)
        return Segment(
            self.records.merged(own, other.records, others),
            self.inverted.merged(own, other.inverted, others),
            _merged_vectors(self.vectors, own, other.vectors, others),
        )

    def with_quantised(self) -> Segment:
        """With its vectors in small integers too, where there are enough for that to pay."""
        if self.vectors is None or len(self) < QUANTISED_FROM:
            return replace(self, quantised=None)
        return replace(self, quantised=Quantised.of(self.vectors))

    def arrays(self) -> Arrays:
        """Everything by name, as a file keeps it."""
        found = {**_named("records", self.records), **_named("inverted", self.inverted)}
        if self.vectors is not None:
            found["vectors"] = self.vectors
        if self.quantised is not None:
            found |= _named("quantised", self.quantised)
        return found

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Segment:
        """What `arrays` gave. Raises `KeyError` when one is missing."""
        quantised = _made(Quantised, "quantised", arrays) if "quantised.codes" in arrays else None
        records, inverted = _made(Records, "records", arrays), _made(Inverted, "inverted", arrays)
        return cls(records, inverted, arrays.get("vectors"), quantised)


def _merged_vectors(own: Vectors | None, places: Integers, other: Vectors | None, others: Integers) -> Vectors | None:
    if own is None or other is None:
        return None
    whole = np.empty((len(own) + len(other), other.shape[1]), np.float32)
    whole[places], whole[others] = own, other
    return whole


def _named(prefix: str, part: object) -> Arrays:
    """The arrays of a dataclass and of the dataclasses in it."""
    if isinstance(part, np.ndarray):
        return {prefix: part}
    named: Arrays = {}
    for field in fields(part):  # type: ignore[arg-type] # every part is a dataclass
        named |= _named(f"{prefix}.{field.name}", getattr(part, field.name))
    return named


def _made(kind: type[T], prefix: str, arrays: Arrays) -> T:
    """The dataclass whose arrays have this prefix."""
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type] # every part is a dataclass
        name = f"{prefix}.{field.name}"
        nested = _NESTED.get(str(field.type))
        values[field.name] = arrays[name] if nested is None else _made(nested, name, arrays)
    return kind(**values)
