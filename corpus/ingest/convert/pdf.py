"""The text of a PDF, its wrapped lines joined again, a form feed after each page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import east_asian_width

import pypdfium2 as pdfium
from pypdfium2 import raw

import errors
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits

_FULL: Final = 0.8
"""Share of the page's widest line from which a line was wrapped and not ended; paragraphs seldom end so far right."""

_LEAST_WIDE: Final = 30
"""Columns under which nothing is taken for wrapped: forms and tables have short lines."""

_LETTERS: Final = 2
"""Letters a page under which a document has no text layer to speak of."""

_STAMP: Final = 60
"""A text up to this long that every page shares is a scanner's stamp."""

_LETTER: Final = re.compile(r"\w")
_ENDED: Final = re.compile(r"[。！？；：.!?;:…”’」』）)】]$")
_NUMERAL: Final = r"[零〇一二两三四五六七八九十百千\d]+"
_BEGINS: Final = re.compile(rf"第\s?{_NUMERAL}\s?[条章节编部]|[（(]?{_NUMERAL}[)）、.．]|[•·●○■□◆*-]\s")
_HYPHENATED: Final = re.compile(r"[a-z]-$")
_FILE_NAME: Final = r".*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex)"
_UNTITLED: Final = re.compile(rf"untitled|未命名|microsoft \w+ - .*|{_FILE_NAME}", re.IGNORECASE)


def convert(data: bytes, limits: Limits) -> Converted:
    """Raises `errors.BadRequest` for a file that is encrypted, damaged, too long, or scanned without a text layer."""
    if b"%PDF-" not in data[:1024]:
        raise errors.BadRequest("The file is of another kind than its name says.")
    try:
        with pdfium.PdfDocument(io.BytesIO(data)) as document:
            if len(document) > limits.pages:
                raise errors.BadRequest(f"The file has more than {limits.pages:,} pages.")
            pages = [_text(document, place) for place in range(len(document))]
            title = document.get_metadata_value("Title").strip()
    except pdfium.PdfiumError as error:
        encrypted = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        sentence = "The file is encrypted." if encrypted else "The file is damaged and cannot be read as PDF."
        raise errors.BadRequest(sentence) from error
    _check_layer(pages)
    text = "".join("\n".join(_joined(page.splitlines())) + "\n\f" for page in pages)
    return Converted(text, None if _UNTITLED.fullmatch(title) else title or None)


def _text(document: pdfium.PdfDocument, place: int) -> str:
    page = document[place]
    layer = page.get_textpage()
    try:
        # Characters that the font has no meaning for come as U+FFFE, a hyphen at a line's end as U+0002.
        return str(layer.get_text_range()).replace("\ufffe", "").replace("\x02", "-")
    finally:
        layer.close()
        page.close()


def _check_layer(pages: Sequence[str]) -> None:
    letters = sum(len(_LETTER.findall(page)) for page in pages)
    stamped = len(pages) > 1 and len({page.strip() for page in pages}) == 1 and len(pages[0].strip()) <= _STAMP
    if letters < _LETTERS * len(pages) or not letters or stamped:
        raise errors.BadRequest("The file is a scan without a text layer; run text recognition (OCR) on it first.")


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Lines of which those that were only wrapped are one again."""
    widths = [_width(line) for line in lines]
    full = max(_LEAST_WIDE, _FULL * max(widths, default=0))
    held = ""
    for line, width in zip(lines, widths, strict=True):
        held = _glued(held, line.strip())
        if width < full or _ENDED.search(line.rstrip()):
            yield held
            held = ""
    if held:
        yield held


def _glued(held: str, line: str) -> str:
    if not held or not line or _BEGINS.match(line):
        return f"{held}\n{line}" if held else line
    if _HYPHENATED.search(held) and line[0].islower():
        return held[:-1] + line
    return held + ("" if _is_wide(held[-1]) or _is_wide(line[0]) else " ") + line


def _width(line: str) -> int:
    return sum(2 if _is_wide(char) else 1 for char in line)


def _is_wide(char: str) -> bool:
    return east_asian_width(char) in "WF"
