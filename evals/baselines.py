"""Figures to compare with, read from a Markdown table: set, kind, R@5; a kind may end in `+ filter`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from errors import BadRequest
from evals.measure import ALL

Baselines = dict[tuple[str, str, bool], float]
"""Recall@5 by set, kind and whether the set's filter was used."""

_FILTERED: Final = " + filter"


def baselines(file: Path) -> Baselines:
    """Rows whose set cell is empty belong to the set above. Raises `BadRequest` when there is no such table."""
    if not file.is_file():
        raise BadRequest("There is no such file of baselines.")
    found: Baselines = {}
    columns: dict[str, int] = {}
    name = ""
    for cells in _rows(file.read_text("utf-8")):
        if not columns:
            columns = {cell.lower(): place for place, cell in enumerate(cells)}
            _check(columns)
            continue
        name = cells[columns["set"]] or name
        kind, score = cells[columns["kind"]], cells[columns["r@5"]]
        if score and not set(score) <= set("-:"):
            found[name, _kind(kind), kind.endswith(_FILTERED)] = float(score)
    _check(columns)
    return found


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip().strip("|").split("|")]


def _kind(cell: str) -> str:
    kind = cell.removesuffix(_FILTERED)
    return ALL if kind == "ALL" else kind


def _check(columns: dict[str, int]) -> None:
    if not columns.keys() >= {"set", "kind", "r@5"}:
        raise BadRequest("A file of baselines has a table with the columns set, kind and R@5.")
