"""Pictures are drawn where matplotlib is installed: it comes with the extra `eval`."""

from __future__ import annotations

import importlib
from xml.etree import ElementTree

import pytest

from errors import BadRequest
from evals.report import pictures, plots
from evals.report.blocks import Plot
from evals.report.content import report
from evals.sweep import grid, sweep
from tests.unit.evals.test_compare import asked

HOSTILE = "<script>&\x0c$x^2$_单一"
DOTS = {"loop": (3.0, 0.8, 0.7, 0.9), HOSTILE: (2.0, 0.5, 0.5, 0.5)}


def letters(svg: bytes) -> str:
    """All text of a picture, which must be XML."""
    return "".join(ElementTree.fromstring(svg).itertext())  # noqa: S314  # drawn here


def test_words_of_a_picture_are_text_in_any_language_and_no_markup() -> None:
    pytest.importorskip("matplotlib")
    for svg in (
        plots.against_cost(DOTS, "searches"),
        plots.by_kind({HOSTILE: {"多跳": 0.5}, "loop": {"多跳": 1.0}}),
        plots.curves({HOSTILE: [(1.0, 0.5), (2.0, 0.7)]}, (1.0, 0.5), "tokens"),
        plots.latencies({HOSTILE: [1.0, 0.0, 90_000.0]}),
    ):
        assert "<script>& $x^2$_单一" in letters(svg)
        assert b"<script" not in svg


def test_the_same_numbers_give_the_same_picture() -> None:
    pytest.importorskip("matplotlib")
    assert plots.against_cost(DOTS, "tokens") == plots.against_cost(DOTS, "tokens")


def test_a_picture_is_told_in_words_too() -> None:
    pytest.importorskip("matplotlib")
    of_mode = {"loop": [(r,) for r in asked("loop", "11", searches=3)], "bm25": [(r,) for r in asked("bm25", "10")]}
    assert (
        pictures.against_cost(of_mode, "ran").told
        == "loop: 1.000 right for 3.00 searches; bm25: 0.500 right for 0.00 searches"
    )
    assert pictures.kinds(of_mode, "ran").told == "single: loop 1.000, bm25 0.500"
    assert pictures.latencies(of_mode, "ran").told == "loop: half within 10 ms; bm25: half within 10 ms"
    found = sweep([r for mode in grid([0.7], [0, 1]) for r in asked(mode, "10")])
    assert found is not None
    assert pictures.curves(found, "ran").told == "The curve has no knee"


def test_of_asks_that_all_failed_there_is_no_latency_to_draw() -> None:
    pytest.importorskip("matplotlib")
    failed = [r for mode in ("hybrid", "loop") for r in asked(mode, "00", status="failed", error="Lost.")]
    found = report(failed, "gapseek eval made", {})
    drawn = [block.title for section in found.sections for block in section.blocks if isinstance(block, Plot)]
    assert drawn == ["Right against searches a question"]


def test_without_matplotlib_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    assert not plots.installed()
    with pytest.raises(BadRequest, match=r"pip install 'gapseek\[eval\]'"):
        plots.latencies({"loop": [1.0]})
