"""A document to chunks: sections first, then sentences, rows and lines, cutting none unless it alone is too long."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from corpus.documents import Chunk, NewDocument, chunk_id
from corpus.ingest.sections import Section, first_heading, sections
from corpus.ingest.units import Unit, edge, units
from text.language import language
from text.normalise import clean

RULES: Final = 2
"""Raised whenever the same document would give other chunks, so that a re-ingest cuts it anew."""

_PAGE_BREAK: Final = re.compile("\f")
"""Stands after each page of a paged document; `page` in a chunk's metadata is the one it begins on, from 1."""


@dataclass(frozen=True)
class Sizes:
    """Characters of Chinese text in a chunk, and how many of them, in whole units, the next chunk repeats."""

    longest: int = 500
    overlap: int = 50

    def for_script_of(self, text: str) -> Sizes:
        """Twice as many of a script whose letters say half as much: at 500, ramdocs_en lost .02 Recall@5."""
        return self if language(text) == "zh" else Sizes(2 * self.longest, 2 * self.overlap)


def title_of(document: NewDocument) -> str:
    """The title given, or the heading that opens the text, or the doc_id."""
    return document.title or first_heading(document.text) or document.doc_id


def chunks(document: NewDocument, sizes: Sizes = Sizes()) -> list[Chunk]:
    """Chunks in the document's order, none blank, none twice.

    A piece from within a table has the names of its columns at the end of its heading, where both lanes and every
    reader see them; its text stays a slice of the document.
    """
    sizes = sizes.for_script_of(document.text)
    title = title_of(document)
    breaks = [found.start() for found in _PAGE_BREAK.finditer(document.text)]
    found: dict[str, Chunk] = {}
    for section in sections(document.text):
        for window in _windows(document.text, section, sizes):
            chunk = _chunk(document, title, section, window, breaks)
            if clean(chunk.text).strip():
                found.setdefault(chunk.chunk_id, chunk)
    return list(found.values())


def _chunk(document: NewDocument, title: str, section: Section, window: Unit, breaks: Sequence[int]) -> Chunk:
    headings = section.headings[1:] if section.headings[:1] == (title,) else section.headings
    raw = document.text[window.start : window.end]
    piece = raw.strip()
    start = window.start + raw.index(piece)
    metadata: dict[str, Any] = {"article": section.article} if section.article else {}
    if breaks:
        metadata["page"] = bisect_right(breaks, start) + 1
    return Chunk(
        chunk_id=chunk_id(document.doc_id, piece),
        heading=" > ".join(part for part in (*headings, window.header) if part),
        text=piece,
        start=start,
        end=start + len(piece),
        metadata=metadata,
    )


def _windows(text: str, section: Section, sizes: Sizes) -> Iterator[Unit]:
    """Runs of units, each of at most `sizes.longest` characters and with the header of its first unit."""
    window: list[Unit] = []
    for unit in units(text, section.start, section.end):
        for piece in _pieces(text, unit, sizes):
            if window and piece.end - window[0].start > sizes.longest:
                yield Unit(window[0].start, window[-1].end, window[0].header)
                window = _repeated(window, piece, sizes)
            window.append(piece)
    if window:
        yield Unit(window[0].start, window[-1].end, window[0].header)


def _pieces(text: str, unit: Unit, sizes: Sizes) -> Iterator[Unit]:
    """The unit, or, when it is too long, steps through it that overlap and cut no visible character."""
    start = unit.start
    while unit.end - start > sizes.longest:
        stop = edge(text, start + sizes.longest, start)
        yield Unit(start, stop, unit.header)
        start = edge(text, stop - sizes.overlap, start)
    yield Unit(start, unit.end, unit.header)


def _repeated(window: list[Unit], following: Unit, sizes: Sizes) -> list[Unit]:
    """The last units of a window that fit into the overlap and leave room for the next one."""
    kept = len(window)
    while kept > 1:
        start = window[kept - 1].start
        if window[-1].end - start > sizes.overlap or following.end - start > sizes.longest:
            break
        kept -= 1
    return window[kept:]
