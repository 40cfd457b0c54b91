"""Hits that repeat what better hits say already: overlapping windows of one document, and copies across documents.

Repeats are told by what they say, sentence by sentence, and not by a similarity with a threshold: two rules that differ
in one amount, one name or one negation are as similar as two copies, and that difference is what conflicts are made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from corpus.segments.records import Name, Outline
from corpus.segments.sayings import Saying
from corpus.store.records import IndexedChunk
from text.numbers import numbers

_SHARED: Final = 0.5
"""Two chunks of a document overlap when they share this part of the shorter one. The 50 characters that neighbours
repeat are a tenth: dropping on those would lose the other nine."""

_WHEREABOUTS: Final = frozenset(
    {"source", "path", "file", "filename", "file_name", "url", "uri", "link", "id", "来源", "路径", "文件名", "链接"}
)
"""Metadata that says where a text lies and not what it is: copies differ in it."""


class Chunks(Protocol):
    """What is known of the chunks at places, the cheapest first."""

    def name(self, place: int) -> Name: ...

    def outline(self, place: int) -> Outline: ...

    def saying(self, place: int) -> Saying: ...

    def __getitem__(self, place: int) -> IndexedChunk: ...


@dataclass(frozen=True)
class Distinct:
    """A place that repeats none before it; `also_in` names the other documents that say the same, as they came."""

    place: int
    also_in: list[str] = field(default_factory=list)


def distinct(order: Sequence[int], chunks: Chunks, most: int) -> list[Distinct]:
    """The first `most` of these places that repeat none before them, in this order."""
    kept = _Kept(chunks)
    for place in order:
        if len(kept.hits) == most:
            break
        kept.add(place)
    return kept.hits


class _Kept:
    """The hits so far; most of what comes shares no sentence with them, and nothing more is read of it."""

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._outlines: list[Outline] = []
        self._said: set[int] = set()
        self.hits: list[Distinct] = []

    def add(self, place: int) -> None:
        """Take a place in, or name its document at the hit that it repeats."""
        outline = self._chunks.outline(place)
        repeated = self._repeated(place, outline)
        if repeated is None:
            self.hits.append(Distinct(place))
            self._outlines.append(outline)
            self._said |= outline.said
            return
        doc_id, of_repeated = (self._chunks.name(one).doc_id for one in (place, repeated.place))
        if doc_id not in (of_repeated, *repeated.also_in):
            repeated.also_in.append(doc_id)

    def _repeated(self, place: int, outline: Outline) -> Distinct | None:
        """The best of the kept hits that this one repeats."""
        for hit, other in zip(self.hits, self._outlines, strict=True):
            if outline.document == other.document and _overlap(outline, other):
                return hit
        if self._said.isdisjoint(outline.said):
            return None
        akin = [
            hit
            for hit, other in zip(self.hits, self._outlines, strict=True)
            if not outline.said.isdisjoint(other.said) and self._may_repeat(place, hit.place)
        ]
        return akin[0] if akin and self._adds_only_a_header(place, akin) else None

    def _adds_only_a_header(self, place: int, akin: Sequence[Distinct]) -> bool:
        """A header that stands in another's place is news: it may be all that tells two sections apart."""
        own, others = self._chunks.saying(place), [self._chunks.saying(hit.place) for hit in akin]
        new = own.said.difference(*(other.said for other in others))
        return not new or (new <= own.headers and not any(other.headers - own.said for other in others))

    def _may_repeat(self, one: int, other: int) -> bool:
        """The same words of another year, edition, place or section are another source."""
        sayings = self._chunks.saying(one), self._chunks.saying(other)
        chunks = self._chunks[one], self._chunks[other]
        years = sayings[0].years, sayings[1].years
        return (
            (not all(years) or not years[0].isdisjoint(years[1]))
            and sayings[0].section == sayings[1].section
            and _agree(chunks[0].metadata, chunks[1].metadata)
            and numbers(chunks[0].title) == numbers(chunks[1].title)
        )


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one[name] == other[name] for name in one.keys() & other.keys() - _WHEREABOUTS)


def _overlap(one: Outline, other: Outline) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared >= _SHARED * min(one.end - one.start, other.end - other.start)
