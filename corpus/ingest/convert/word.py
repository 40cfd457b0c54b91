"""A docx by way of mammoth's HTML, which keeps headings, lists, tables, footnotes and what was not deleted."""

from __future__ import annotations

import io
import zipfile
from typing import Final
from xml.etree import ElementTree

import mammoth

from corpus.ingest.convert.archive import check
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits
from corpus.ingest.convert.markdown import markdown

_STYLES: Final = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => h2:fresh"
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_PROPERTIES: Final = "docProps/core.xml"


def convert(data: bytes, limits: Limits) -> Converted:
    """Raises `errors.BadRequest` for what is no harmless docx and for one with too many cells."""
    check(data, "word/document.xml", limits)
    html = mammoth.convert_to_html(io.BytesIO(data), style_map=_STYLES, convert_image=_no_image).value
    text, _ = markdown(html, limits.cells)
    return Converted(text, property_title(data))


def property_title(data: bytes) -> str | None:
    """The title among the properties of an office file that was checked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if _PROPERTIES not in archive.namelist():
            return None
        title = ElementTree.fromstring(archive.read(_PROPERTIES)).findtext(_TITLE)  # noqa: S314 - `check` saw no DOCTYPE
    return (title or "").strip() or None


def _no_image(image: object) -> list[object]:
    """Nothing for a picture: neither its bytes nor what a link to one outside would bring."""
    return []
