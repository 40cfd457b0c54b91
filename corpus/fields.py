"""Which metadata fields sort a principal's documents, and by which values: what a question may name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from context.retrieval import Principal
from corpus.cache import LRU
from corpus.documents import DocumentInfo

Scalar = str | int | float

MOST_FIELDS: Final = 50
MOST_VALUES: Final = 1_000
"""A field of more values is a name or a note: it does not sort documents, and is left out whole."""
LONGEST_VALUE: Final = 40
_KEPT: Final = 50


class KnownFields:
    """Reads the documents once for every generation of a tenant and set of groups."""

    def __init__(self, visible: Callable[[Principal], Sequence[DocumentInfo]]) -> None:
        self._visible = visible
        self._known: LRU[tuple[str, int, frozenset[str]], Mapping[str, Collection[Scalar]]] = LRU(_KEPT)

    async def of(self, principal: Principal, generation: int) -> Mapping[str, Collection[Scalar]]:
        """Values by field, as this principal may see them."""
        key = (principal.tenant, generation, principal.groups)
        known = self._known.get(key)
        if known is None:
            known = await asyncio.to_thread(lambda: values_by_field(d.metadata for d in self._visible(principal)))
            self._known.put(key, known)
        return known


def values_by_field(documents: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[Scalar]]:
    """The texts and numbers of each field, items of lists among them; nothing of what has too many or is too long."""
    found: dict[str, set[Scalar]] = {}
    for metadata in documents:
        for field, value in metadata.items():
            found.setdefault(field, set()).update(_scalars(value))
    sorting = sorted(field for field, values in found.items() if 0 < len(values) <= MOST_VALUES)
    return {field: frozenset(found[field]) for field in sorting[:MOST_FIELDS]}


def _scalars(value: object) -> Iterator[Scalar]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str | int | float) and not isinstance(item, bool) and 0 < len(str(item)) <= LONGEST_VALUE:
            yield item
