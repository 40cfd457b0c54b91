"""A pptx: each slide is a page, with its title as heading, its text, tables and notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pptx

import errors
from corpus.ingest.convert.archive import check
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits
from corpus.ingest.tables import table


def convert(data: bytes, limits: Limits) -> Converted:
    """Raises `errors.BadRequest` for what is no harmless pptx and for one with too many slides or cells."""
    check(data, "ppt/presentation.xml", limits)
    presentation = pptx.Presentation(io.BytesIO(data))
    if len(presentation.slides) > limits.pages:
        raise errors.BadRequest(f"The file has more than {limits.pages:,} slides.")
    text = "".join("\n\n".join(_blocks(slide)) + "\n\f" for slide in presentation.slides)
    return Converted(text, presentation.core_properties.title.strip() or None)


def _blocks(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None and title.text_frame.text.strip():
        yield f"## {' '.join(title.text_frame.text.split())}"
    for shape in _shapes(slide.shapes):
        if title is None or shape.shape_id != title.shape_id:
            yield from _shape(shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        yield from _text(slide.notes_slide.notes_text_frame)


def _shapes(shapes: Any) -> Iterator[Any]:
    """Shapes with those inside groups, read from top to bottom and left to right."""
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _shape(shape: Any) -> Iterator[str]:
    if shape.has_text_frame:
        yield from _text(shape.text_frame)
    elif getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        if any(any(row) for row in rows):
            yield table(rows)


def _text(frame: Any) -> Iterator[str]:
    lines = (paragraph.text.replace("\v", "\n").strip() for paragraph in frame.paragraphs)
    if text := "\n".join(line for line in lines if line):
        yield text
