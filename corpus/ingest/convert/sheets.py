"""An xlsx: each sheet a heading with one table under it, values as they were last computed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

import errors
from corpus.ingest.convert.archive import check
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.limits import Limits
from corpus.ingest.convert.word import property_title
from corpus.ingest.tables import Row, cell_text, table


def convert(data: bytes, limits: Limits) -> Converted:
    """Raises `errors.BadRequest` for what is no harmless xlsx and for one with too many cells."""
    check(data, "xl/workbook.xml", limits)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            return Converted("\n\n".join(_sheets(book, limits)), property_title(data))
    except CalamineError as error:
        raise errors.BadRequest("The file is damaged and cannot be read as xlsx.") from error


def _sheets(book: Any, limits: Limits) -> Iterator[str]:
    left = limits.cells
    for sheet in book.sheets_metadata:
        if sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        rows = []
        for row in _rows(book, sheet.name):
            left -= len(row)
            if left < 0:
                raise errors.BadRequest(f"The file has more than {limits.cells:,} cells.")
            rows.append(row)
        if rows:
            yield f"## {' '.join(sheet.name.split())}\n\n{table(rows)}"


def _rows(book: Any, name: str) -> Iterator[Row]:
    """Rows that say anything, each without the blank cells at its end."""
    for row in book.get_sheet_by_name(name).iter_rows():
        cells = [cell_text(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield cells
