"""The metadata of a segment by field: what a filter is tried on is each different value, not each chunk."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpus.segments.records import Records
from corpus.segments.texts import Integers

_REMEMBERED: Final = 32
_ABSENT: Final = object()


@dataclass(frozen=True)
class Field:
    """One field of every row: a code each, and the value of each code."""

    codes: Integers
    values: list[Any]

    @classmethod
    def of(cls, values: Iterable[Any]) -> Field:
        # `repr` tells 1, 1.0, True and "1" apart, which compare equal or are told apart by a filter.
        known: dict[str, int] = {}
        different: list[Any] = []
        codes = []
        for value in values:
            code = known.setdefault(repr(value), len(known))
            if code == len(different):
                different.append(value)
            codes.append(code)
        return cls(np.array(codes, np.int32), different)


class Fields:
    """The fields of a segment, each read from its JSON when a filter first names it. For use by several threads: what
    two of them compute at once is the same."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._known: OrderedDict[str, Field] = OrderedDict()

    def allowed_groups(self, allows: Callable[[frozenset[str]], bool]) -> NDArray[np.bool_]:
        """Per row whether its document's groups are allowed; asked once for each different set of groups."""
        groups = self._records.groups
        answers = np.array([allows(frozenset(json.loads(text))) for text in groups.values], np.bool_)
        return answers[groups.codes][self._records.document]

    def passing(self, names: Iterable[str], predicate: Callable[[Mapping[str, Any]], bool]) -> NDArray[np.bool_]:
        """Per row whether the predicate holds, which looks at these fields only."""
        ordered = sorted(names)
        if not ordered:
            return np.full(len(self._records), predicate({}), np.bool_)
        fields = [self._field(name) for name in ordered]
        codes, stands_for = _combined([field.codes for field in fields])
        columns = [[field.values[code] for code in of.tolist()] for field, of in zip(fields, stands_for, strict=True)]
        answers = [predicate(_named(ordered, values)) for values in zip(*columns, strict=True)]
        return np.array(answers, np.bool_)[codes]

    def _field(self, name: str) -> Field:
        field = self._known.get(name)
        if field is None:
            field = self._read(name)
            self._known[name] = field
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return field

    def _read(self, name: str) -> Field:
        """A document's own metadata cannot pose as its id or title; a chunk's goes before its document's."""
        records = self._records
        if name == "doc_id":
            return Field(records.document, list(records.doc_ids))
        if name == "title":
            return Field(records.titles.codes[records.document], list(records.titles.values))
        own = _values(records.chunk_metadata.values, name)
        of_documents = _values(records.metadata.values, name)
        of_document = records.metadata.codes[records.document]
        codes, (documents, chunks) = _combined([of_document, records.chunk_metadata.codes])
        field = Field.of(
            own[chunk] if own[chunk] is not _ABSENT else of_documents[document]
            for document, chunk in zip(documents.tolist(), chunks.tolist(), strict=True)
        )
        return Field(field.codes[codes], field.values)


def _values(texts: Iterable[str], name: str) -> list[Any]:
    return [metadata.get(name, _ABSENT) for metadata in json.loads(f"[{','.join(texts)}]")]


def _combined(columns: Sequence[Integers]) -> tuple[Integers, Sequence[Integers]]:
    """A code a row for each different combination, and by such a code what it stands for in each column."""
    codes, stands_for = columns[0], [np.arange(int(columns[0].max(initial=-1)) + 1, dtype=np.int32)]
    for column in columns[1:]:
        width = int(column.max(initial=0)) + 1
        different, inverse = np.unique(codes.astype(np.int64) * width + column, return_inverse=True)
        codes = inverse.astype(np.int32)
        stands_for = [*(of[different // width] for of in stands_for), (different % width).astype(np.int32)]
    return codes, stands_for


def _named(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return {name: value for name, value in zip(names, values, strict=True) if value is not _ABSENT}
