"""Rows of cells as a Markdown table: the one form in which a table of any file is kept, cut and shown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence

Row = Sequence[str]


def table(rows: Iterable[Row]) -> str:
    """The rows as a table whose first row of two or more cells is its header; a caption above it is a line of text.

    Blank rows and columns are left out.
    """
    kept = [[cell_text(cell) for cell in row] for row in rows]
    filled = {place for row in kept for place, cell in enumerate(row) if cell}
    full = [_picked(row, sorted(filled)) for row in kept if any(row)]
    captions = list(_captions(full))
    body = full[len(captions) :]
    return "\n\n".join([*captions, "\n".join(_lines(body))] if body else captions)


def cell_text(value: object) -> str:
    """A cell on one line: whole numbers without a decimal point, dates in ISO form, nothing as an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return " ".join(str(value).split())


def _picked(row: Row, places: Sequence[int]) -> list[str]:
    return [row[place] if place < len(row) else "" for place in places]


def _captions(rows: Sequence[Row]) -> Iterator[str]:
    """The rows of a single cell that stand above a wider table, as spreadsheets have their titles."""
    if not any(_cells(row) > 1 for row in rows):
        return
    for row in rows:
        if _cells(row) > 1:
            return
        yield next(cell for cell in row if cell)


def _cells(row: Row) -> int:
    return sum(bool(cell) for cell in row)


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    for place, row in enumerate(rows):
        yield _line(row)
        if place == 0:
            yield _line(["---"] * len(row))


def _line(row: Row) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
