"""Hits that repeat what better hits say already: overlapping windows of one document, and copies across documents.

Repeats are told by what they say, sentence by sentence, and not by a similarity with a threshold: two rules that differ
in one amount, one name or one negation are as similar as two copies, and that difference is what conflicts are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from context import Passage
from corpus.store.records import IndexedChunk
from text.normalise import fold
from text.numbers import numbers
from text.statements import Statements, bare, statements

Read = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Passages by chunk_id."""

_SHARED: Final = 0.5
"""Two chunks of a document overlap when they share this part of the shorter one. The 50 characters that neighbours
repeat are a tenth: dropping on those would lose the other nine."""

_WHEREABOUTS: Final = frozenset(
    {"source", "path", "file", "filename", "file_name", "url", "uri", "link", "id", "来源", "路径", "文件名", "链接"}
)
"""Metadata that says where a text lies and not what it is: copies differ in it."""


@dataclass(frozen=True)
class Distinct:
    """A place that repeats none before it; `also_in` names the other documents that say the same, as they came."""

    place: int
    also_in: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Hit:
    kept: Distinct
    chunk: IndexedChunk
    passage: Passage | None
    says: Statements


def distinct(order: Sequence[int], chunks: Sequence[IndexedChunk], most: int, read: Read) -> list[Distinct]:
    """The first `most` of these places that repeat none before them, in this order."""
    hits: list[_Hit] = []
    for place, passage in _passages(order, chunks, most, read):
        if len(hits) == most:
            break
        hit = _Hit(Distinct(place), chunks[place], passage, _said(passage.text if passage else ""))
        repeated = _repeated(hit, hits)
        if repeated is None:
            hits.append(hit)
        elif hit.chunk.doc_id not in (repeated.chunk.doc_id, *repeated.kept.also_in):
            repeated.kept.also_in.append(hit.chunk.doc_id)
    return [hit.kept for hit in hits]


def _passages(
    order: Sequence[int], chunks: Sequence[IndexedChunk], most: int, read: Read
) -> Iterator[tuple[int, Passage | None]]:
    """Places with their passages, as many at a time as are wanted: most searches need no second reading."""
    for start in range(0, len(order), max(1, most)):
        places = order[start : start + most]
        passages = read([chunks[place].chunk_id for place in places])
        for place in places:
            yield place, passages.get(chunks[place].chunk_id)


def _repeated(hit: _Hit, kept: Sequence[_Hit]) -> _Hit | None:
    """The best of the kept hits that this one repeats."""
    for other in kept:
        if _overlap(hit.chunk, other.chunk):
            return other
    akin = [other for other in kept if hit.says.said & other.says.said and _may_repeat(hit, other)]
    new = hit.says.said.difference(*(other.says.said for other in akin))
    return akin[0] if akin and _adds_only_a_header(new, hit, akin) else None


def _adds_only_a_header(new: frozenset[str], hit: _Hit, akin: Sequence[_Hit]) -> bool:
    """A header that stands in another's place is news: it may be all that tells two sections apart."""
    if not new:
        return True
    return new <= hit.says.headers and not any(other.says.headers - hit.says.said for other in akin)


def _may_repeat(one: _Hit, other: _Hit) -> bool:
    """The same words of another year, edition, place or section are another source."""
    years = one.says.years, other.says.years
    return (
        (not all(years) or not years[0].isdisjoint(years[1]))
        and _agree(one.chunk.metadata, other.chunk.metadata)
        and numbers(one.chunk.title) == numbers(other.chunk.title)
        and _section(one) == _section(other)
    )


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys() - _WHEREABOUTS)


def _section(hit: _Hit) -> str:
    return _bare_heading(hit.passage.heading) if hit.passage else ""


@lru_cache(maxsize=2_000)
def _bare_heading(heading: str) -> str:
    return bare(fold(heading.rpartition(" > ")[2]))


@lru_cache(maxsize=5_000)
def _said(text: str) -> Statements:
    return statements(text)


def _overlap(one: IndexedChunk, other: IndexedChunk) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return one.doc_id == other.doc_id and shared >= _SHARED * min(one.end - one.start, other.end - other.start)
