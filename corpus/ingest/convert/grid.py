"""A table of a page while its cells come in, those that span several rows or columns laid out."""

from __future__ import annotations

from typing import Final

from corpus.ingest.tables import table

_MOST_SPANNED: Final = 100


class Grid:
    """Rows with their spans laid out: a cell over several columns or rows stands in the first of them alone.

    `before` is the text of the cell around, up to this table.
    """

    def __init__(self, before: list[str]) -> None:
        self.before = before
        self.open = False
        self._rows: list[list[str]] = []
        self._waiting: dict[int, int] = {}
        self._wide = 1
        self._tall = 1

    def row(self) -> None:
        self.open = False
        self._rows.append([])
        self._skip()

    def cell(self, wide: int, tall: int) -> None:
        if not self._rows:
            self.row()
        self.open, self._wide, self._tall = True, wide, tall

    def fill(self, text: str) -> None:
        row = self._rows[-1]
        for place in range(len(row), len(row) + self._wide):
            self._waiting[place] = self._tall - 1
        row += [text, *[""] * (self._wide - 1)]
        self.open = False
        self._skip()

    def text(self) -> str:
        return table(self._rows)

    def _skip(self) -> None:
        """Leave the columns free into which a cell of a row above reaches."""
        row = self._rows[-1]
        while self._waiting.get(len(row), 0) > 0:
            self._waiting[len(row)] -= 1
            row.append("")


def span(value: str | None) -> int:
    """What a `colspan` or `rowspan` says, 1 when it says nothing that makes sense."""
    return min(max(int(value), 1), _MOST_SPANNED) if value and len(value) < 5 and value.isdecimal() else 1
