"""The pictures of a report, as SVG that can be read on a light page and on a dark one."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Final

from errors import BadRequest
from text.normalise import printable

NOT_INSTALLED: Final = "No pictures are drawn: install them with  pip install 'gapseek[eval]'  (the tables are whole)."
INK: Final = "#7d8590"
"""A grey of enough contrast with white and with black."""
COLOURS: Final = ("#2f81f7", "#d29922", "#3fb950", "#f85149", "#a371f7", "#db6d28", "#39c5cf", "#9e6a03")
MARKERS: Final = "osD^vPX*"
STROKES: Final = ("-", "--", "-.", ":")
"""Colour alone would tell nothing to who cannot see it."""
_STYLE: Final[Any] = {
    "svg.hashsalt": "gapseek",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}

Dot = tuple[float, float, float, float]
"""Cost, share that is right, and the bounds of its interval."""


def installed() -> bool:
    """Whether pictures can be drawn."""
    try:
        importlib.import_module("matplotlib")
    except ImportError:
        return False
    return True


def against_cost(dots: Mapping[str, Dot], cost: str) -> bytes:
    """Each mode as a dot with its interval: the further up and left, the better."""
    with _axes(7, 4) as (axes, drawn):
        for place, (name, (spent, right, low, high)) in enumerate(dots.items()):
            bars = [[max(0.0, right - low)], [max(0.0, high - right)]]
            axes.errorbar(spent, right, yerr=bars, capsize=3, label=_plain(name), **_look(place))
        axes.set(xlabel=f"{cost} a question", ylabel="share right", ylim=(0, 1.02))
        axes.set_xlim(left=0)
        _legend(axes)
    return drawn.getvalue()


def by_kind(right: Mapping[str, Mapping[str, float]]) -> bytes:
    """A bar for each mode beside each other, a group for each kind."""
    kinds = list(dict.fromkeys(kind for of in right.values() for kind in of))
    width = 0.8 / max(1, len(right))
    with _axes(7, 1 + 0.5 * len(kinds)) as (axes, drawn):
        for place, (mode, of) in enumerate(right.items()):
            ys = [row + (place - (len(right) - 1) / 2) * width for row in range(len(kinds))]
            axes.barh(ys, [of.get(kind, 0.0) for kind in kinds], width, label=_plain(mode), color=_colour(place))
        axes.set_yticks(range(len(kinds)), [_plain(kind) for kind in kinds])
        axes.invert_yaxis()
        axes.set(xlabel="share right", xlim=(0, 1.02))
        _legend(axes)
    return drawn.getvalue()


def curves(lines: Mapping[str, Sequence[tuple[float, float]]], marked: tuple[float, float] | None, cost: str) -> bytes:
    """A line for each threshold over its retries, with the knee circled."""
    with _axes(7, 4) as (axes, drawn):
        for place, (name, points) in enumerate(lines.items()):
            axes.plot(*zip(*points, strict=True), label=_plain(name), linewidth=1, **_look(place))
        if marked:
            axes.plot(*marked, "o", markersize=14, fillstyle="none", color=INK)
            axes.annotate("knee", marked, xytext=(10, -14), textcoords="offset points")
        axes.set(xlabel=f"{cost} a question", ylabel="share right")
        _legend(axes)
    return drawn.getvalue()


def latencies(of_mode: Mapping[str, Sequence[float]]) -> bytes:
    """The share of questions that each mode has answered by a time, in seconds on a logarithmic scale."""
    with _axes(7, 4) as (axes, drawn):
        for place, (mode, found) in enumerate(of_mode.items()):
            seconds = [max(1e-3, ms / 1000) for ms in sorted(found)]
            shares = [(n + 1) / len(seconds) for n in range(len(seconds))]
            axes.step(seconds, shares, where="post", label=_plain(mode), **_stroke(place))
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter("")
        axes.set(xlabel="seconds", ylabel="share answered by then", ylim=(0, 1.02))
        _legend(axes)
    return drawn.getvalue()


@contextmanager
def _axes(width: float, height: float) -> Iterator[tuple[Any, BytesIO]]:
    """Axes to draw on; what was drawn stands in the buffer afterwards, the same bytes for the same numbers."""
    try:
        matplotlib, figures = (importlib.import_module(f"matplotlib{part}") for part in ("", ".figure"))
    except ImportError as error:
        raise BadRequest(NOT_INSTALLED) from error
    drawn = BytesIO()
    with matplotlib.rc_context(_STYLE):
        figure = figures.Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        axes.grid(color=INK, alpha=0.25, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        yield axes, drawn
        with warnings.catch_warnings():
            # Who shows the picture has the letters; here they are only measured, and a width is guessed without them.
            warnings.filterwarnings("ignore", r"Glyph \d+ .* missing")
            figure.savefig(drawn, format="svg", transparent=True, metadata={"Date": None, "Creator": None})


def _legend(axes: Any) -> None:
    axes.legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper left", bbox_to_anchor=(1, 1))


def _look(place: int) -> dict[str, Any]:
    return {"color": _colour(place), "marker": MARKERS[place % len(MARKERS)], "markersize": 6}


def _stroke(place: int) -> dict[str, Any]:
    return {"color": _colour(place), "linestyle": STROKES[place % len(STROKES)]}


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _plain(name: str) -> str:
    """A name as a label; one that begins with a line would be left out of the legend."""
    return " " + " ".join(printable(name).split())
