"""A document to chunks: sections first, then sentences, never cutting one unless it alone is too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from corpus.documents import Chunk, NewDocument, chunk_id
from corpus.ingest.sections import Section, first_heading, sections
from text.language import language
from text.normalise import clean
from text.sentences import sentences

RULES: Final = 2
"""Raised whenever the same document would give other chunks, so that a re-ingest cuts it anew."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Sizes:
    """Characters in a chunk, and how many of them, in whole sentences, the next chunk repeats: of Chinese text."""

    longest: int = 500
    overlap: int = 50

    def for_script_of(self, text: str) -> Sizes:
        """Twice as many of a script whose letters say half as much: at 500, ramdocs_en lost .02 Recall@5."""
        return self if language(text) == "zh" else Sizes(2 * self.longest, 2 * self.overlap)


def title_of(document: NewDocument) -> str:
    """The title given, or the heading that opens the text, or the doc_id."""
    return document.title or first_heading(document.text) or document.doc_id


def chunks(document: NewDocument, sizes: Sizes = Sizes()) -> list[Chunk]:
    """Chunks in the document's order, none blank, none twice."""
    sizes = sizes.for_script_of(document.text)
    title = title_of(document)
    found: dict[str, Chunk] = {}
    for section in sections(document.text):
        for start, end in _windows(document.text, section, sizes):
            window = document.text[start:end]
            piece = window.strip()
            if clean(piece).strip():
                chunk = _chunk(document.doc_id, title, section, piece, start + window.index(piece))
                found.setdefault(chunk.chunk_id, chunk)
    return list(found.values())


def _chunk(doc_id: str, title: str, section: Section, piece: str, start: int) -> Chunk:
    headings = section.headings[1:] if section.headings[:1] == (title,) else section.headings
    return Chunk(
        chunk_id=chunk_id(doc_id, piece),
        heading=" > ".join(headings),
        text=piece,
        start=start,
        end=start + len(piece),
        metadata={"article": section.article} if section.article else {},
    )


def _windows(text: str, section: Section, sizes: Sizes) -> Iterator[Span]:
    """Spans of at most `sizes.longest` characters, each of whole sentences."""
    spans = [
        (section.start + start + a, section.start + start + b)
        for start, end in sentences(text[section.start : section.end])
        for a, b in _pieces(end - start, sizes)
    ]
    window: list[Span] = []
    for span in spans:
        if window and span[1] - window[0][0] > sizes.longest:
            yield window[0][0], window[-1][1]
            window = _repeated(window, span, sizes)
        window.append(span)
    if window:
        yield window[0][0], window[-1][1]


def _pieces(length: int, sizes: Sizes) -> list[Span]:
    """One sentence, or, when it is too long, equal steps through it that overlap."""
    if length <= sizes.longest:
        return [(0, length)]
    step = sizes.longest - sizes.overlap
    return [(start, min(start + sizes.longest, length)) for start in range(0, length - sizes.overlap, step)]


def _repeated(window: list[Span], following: Span, sizes: Sizes) -> list[Span]:
    """The last sentences of a window that fit into the overlap and leave room for the next sentence."""
    kept = len(window)
    while kept > 1:
        start = window[kept - 1][0]
        if window[-1][1] - start > sizes.overlap or following[1] - start > sizes.longest:
            break
        kept -= 1
    return window[kept:]
