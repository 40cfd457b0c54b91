from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from evals import publish
from evals.choosing import PAGE, price, run
from evals.choosing_tables import blocks
from evals.condensed import KEPT
from evals.evaluation import RECORDS
from evals.markdown import fill
from evals.record import Records
from tests.unit.evals.test_compare import asked

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pages without tables stand, and the records of two modes."""
    monkeypatch.chdir(tmp_path)
    PAGE.parent.mkdir()
    page = (ROOT / PAGE).read_text("utf-8")
    PAGE.write_text(fill(page, dict.fromkeys(blocks({"sets": {}, "prices": []}), "")), "utf-8")
    publish.PAGE.write_text("# B\n<!-- table: modes-again -->\n<!-- end -->\n", "utf-8")
    measured = tmp_path / "eval-made"
    measured.mkdir()
    spent = {"model_calls": 3, "input_tokens": 2_000, "output_tokens": 500, "tokens": 2_500}
    kept = Records(measured / RECORDS)
    for record in [*asked("hybrid", "0" * 12, searches=1), *asked("loop", "1" * 12, searches=3, **spent)]:
        kept.add(record)
    return measured


def test_the_page_says_what_was_measured() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert page == fill(page, blocks(json.loads((ROOT / KEPT).read_text("utf-8")))), "run: python -m evals.choosing"


def test_records_and_prices_go_into_the_page_and_stay_there(folder: Path) -> None:
    run([str(folder), "--price", "small=0.5,2", "--dated", "2026-12-01"])
    first = PAGE.read_text("utf-8")
    assert "* `made`, 12 questions: **loop** is the cheapest of the rest; hybrid is surely worse than loop." in first
    assert "| loop beside hybrid | 12 | 0.000 | 1.000 | +1.000 (+1.000 to +1.000) |" in first
    assert "| loop beside hybrid | 12 | 0.000 | 1.000 |" in publish.PAGE.read_text("utf-8")
    assert "small (0.5 in, 2 out, 2026-12-01)" in first
    assert "| made, hybrid | 0 |" not in first, "it called no model"
    assert "| made, loop | 3.00 | 2,000 | 500 | 2,000 |" in first
    assert "code c0de" in first
    run([])
    assert PAGE.read_text("utf-8") == first


def test_a_million_questions_cost_their_tokens_times_the_price_of_a_million(folder: Path) -> None:
    run([str(folder), "--price", "a=0,0", "--price", "b=0.15,0.6"])
    [row] = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| made, loop | 3.00 | 2,000")]
    assert row.endswith("| 0 | 600 |")


def test_a_folder_without_records_changes_nothing(folder: Path) -> None:
    before = PAGE.read_text("utf-8")
    with pytest.raises(SystemExit, match=r"evals.choosing: That folder has no records.jsonl"):
        run([str(folder.parent)])
    assert PAGE.read_text("utf-8") == before
    assert not KEPT.is_file()


@pytest.mark.parametrize("text", ["small", "=1,2", "small=1", "small=1,x", "small=-1,2", "small=1,inf", "small=nan,1"])
def test_a_price_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        price(text)
    assert price("a=b=1,2") == {"name": "a=b", "input": 1.0, "output": 2.0}
