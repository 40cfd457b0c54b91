"""How everything grows with the number of chunks, as one SVG that can be read on a light page and on a dark one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

Row = dict[str, Any]
Line = tuple[str, Callable[[Row], float | None]]

_INK: Final = "#7d8590"
"""A grey of enough contrast with white and with black."""
_COLOURS: Final = ("#2f81f7", "#d29922", "#3fb950")
_PANELS: Final[tuple[tuple[str, tuple[Line, ...]], ...]] = (
    (
        "hybrid query, p50 ms",
        (
            ("no filter", lambda row: row["plain"]["p50_ms"]),
            ("10 % filter", lambda row: row["filter"]["p50_ms"]),
            ("access filter", lambda row: row["access"]["p50_ms"]),
        ),
    ),
    ("ingest, chunks/s", (("without embedding", lambda row: row["chunks_a_second"]),)),
    (
        "start-up, s",
        (
            ("first keyword answer", lambda row: row["first_keyword_ms"] / 1000),
            ("first hybrid answer", lambda row: row["first_hybrid_ms"] / 1000),
        ),
    ),
    (
        "memory a chunk, bytes",
        (
            ("resident", lambda row: row.get("resident_bytes_a_chunk")),
            ("not a file's", lambda row: row.get("anonymous_bytes_a_chunk")),
        ),
    ),
    ("disk, MB", (("all files", lambda row: row["disk_bytes"] / 1e6),)),
    ("recall@10 of the vector lane", (("against every vector", lambda row: row["vector_recall_10"]),)),
)
_FLOORS: Final = {"recall@10 of the vector lane": 0.9}
"""Where a panel begins, when not at nought: what is missing to 1 would not be seen."""
_STYLE: Final[Any] = {
    "svg.hashsalt": "gapseek",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 8,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}


def draw(rows: list[Row], file: Path) -> None:
    """The same rows always give the same bytes: no date, no version, no random ids."""
    grown = [row for row in rows if row["chunks"]]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(9, 5), layout="constrained")
        panels = figure.subplots(2, 3).ravel().tolist()
        for axes, (title, lines) in zip(panels, _PANELS, strict=True):
            _panel(axes, title, lines, grown)
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})


def _panel(axes: Axes, title: str, lines: tuple[Line, ...], rows: list[Row]) -> None:
    top = 0.0
    for (label, value), colour in zip(lines, _COLOURS, strict=False):
        points = [(row["chunks"], found) for row in rows if (found := value(row)) is not None]
        if not points:
            continue  # such as memory where the kernel does not tell it
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, color=colour, label=label)
        top = max(top, *(found for _, found in points))
    axes.set_xscale("log")
    axes.set_xticks([row["chunks"] for row in rows], [_short(row["chunks"]) for row in rows])
    axes.minorticks_off()
    axes.set_ylim(_FLOORS.get(title, 0.0), (top or 1.0) * 1.1 if title not in _FLOORS else 1.005)
    axes.set_title(title, fontsize=9)
    axes.grid(color=_INK, alpha=0.25, linewidth=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    if axes.lines:
        axes.legend(frameon=False, fontsize=7, labelcolor=_INK)


def _short(chunks: int) -> str:
    return f"{chunks // 1000}k" if chunks >= 1000 else str(chunks)
