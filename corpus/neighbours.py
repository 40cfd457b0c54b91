"""Neighbouring hits of one document as one: adjacent or overlapping chunks become their union."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from corpus.store.records import IndexedChunk
from state import Doc

_GAP: Final = 2
"""Characters between two chunks that follow one another: the white space that neither of them holds."""


def merged(docs: Sequence[Doc], find: Callable[[str], IndexedChunk | None]) -> tuple[Doc, ...]:
    """Hits with their neighbours taken in: `span` is the union in the version's text, `merged` the ids in its order.

    A merged hit has the id, rank and score of its best chunk, and every place that any of them was found at.
    """
    found = {doc["chunk_id"]: find(doc["chunk_id"]) for doc in docs}
    chunks = {chunk_id: chunk for chunk_id, chunk in found.items() if chunk is not None}
    groups = [_as_one(group, chunks) for group in _groups(docs, chunks)]
    left = [doc for doc in docs if doc["chunk_id"] not in chunks]
    ordered = sorted([*groups, *left], key=lambda doc: doc["rank"])
    return tuple({**doc, "rank": rank} for rank, doc in enumerate(ordered, 1))


def _groups(docs: Sequence[Doc], chunks: Mapping[str, IndexedChunk]) -> list[list[Doc]]:
    """Hits of one version that touch, in the order of its text."""
    known = [doc for doc in docs if doc["chunk_id"] in chunks]
    groups: list[list[Doc]] = []
    last: tuple[str, str, int] | None = None
    for doc in sorted(known, key=lambda doc: (doc["doc_id"], doc["version"], chunks[doc["chunk_id"]].start)):
        chunk = chunks[doc["chunk_id"]]
        touches = last is not None and last[:2] == (doc["doc_id"], doc["version"]) and chunk.start <= last[2] + _GAP
        if touches and last is not None:
            groups[-1].append(doc)
            last = (*last[:2], max(last[2], chunk.end))
        else:
            groups.append([doc])
            last = (doc["doc_id"], doc["version"], chunk.end)
    return groups


def _as_one(group: Sequence[Doc], chunks: Mapping[str, IndexedChunk]) -> Doc:
    best = min(group, key=lambda doc: doc["rank"])
    if len(group) == 1:
        return best
    of_group = [chunks[doc["chunk_id"]] for doc in group]
    also = dict.fromkeys(doc_id for doc in group for doc_id in doc.get("also_in", []))
    return {
        **best,
        "lanes": [place for doc in sorted(group, key=lambda doc: doc["rank"]) for place in doc["lanes"]],
        "also_in": list(also),
        "span": [min(chunk.start for chunk in of_group), max(chunk.end for chunk in of_group)],
        "merged": [doc["chunk_id"] for doc in group],
    }
