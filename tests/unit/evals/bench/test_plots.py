"""The plot is drawn where matplotlib is: in the environment of the bench."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.evals.bench.test_tables import GROWN

pytest.importorskip("matplotlib", reason="matplotlib is installed for the bench only")


def test_the_same_rows_give_the_same_bytes_and_tell_no_date(tmp_path: Path) -> None:
    from evals.bench.plots import draw

    rows = [{"chunks": 0}, GROWN, GROWN | {"chunks": 10_000, "vector_recall_10": 0.98}]
    for name in ("one", "two"):
        draw(rows, tmp_path / f"{name}.svg")
    drawn = (tmp_path / "one.svg").read_text("utf-8")
    assert drawn == (tmp_path / "two.svg").read_text("utf-8")
    assert "<dc:date>" not in drawn
    assert str(tmp_path) not in drawn
    assert "hybrid query" in drawn
