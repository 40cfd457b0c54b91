from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from evals.sets import BUILT_IN
from evals.summary import Behind, behind, delta, macro, show, show_all
from tests.unit.evals.made import result, row

GOOD = result("good", row("bm25", 0.8), row("vector", 0.7), row("hybrid", 0.78))
BAD = result("bad", row("bm25", 0.9), row("vector", 0.5), row("hybrid", 0.8))
KNOWN = {("bad", "all", False): 0.85}


def test_only_sets_where_hybrid_is_far_below_its_better_lane_are_listed() -> None:
    assert list(behind([GOOD, BAD])) == [Behind("bad", False, "bm25", 0.9, 0.8)]


def test_the_mean_of_the_sets_counts_each_once() -> None:
    mean = macro([GOOD, BAD], "hybrid")
    assert mean is not None
    assert mean.recall_5 == pytest.approx(0.79)
    assert mean.questions == 20


def test_no_mean_over_sets_that_were_not_all_measured() -> None:
    assert macro([GOOD, result("words", row("bm25", 1.0))], "hybrid") is None
    assert macro([], "hybrid") is None


def test_the_built_in_set_is_not_in_the_mean() -> None:
    mean = macro([GOOD, result(BUILT_IN, row("bm25", 0.1))], "hybrid")
    assert mean is not None
    assert mean.recall_5 == 0.78


def test_a_baseline_belongs_to_its_set_kind_and_filter() -> None:
    assert delta(BAD, BAD.rows[0], KNOWN) == pytest.approx(0.05)
    assert delta(GOOD, GOOD.rows[0], KNOWN) is None
    assert delta(BAD, row("bm25", 0.9, filtered=True), KNOWN) is None


def test_what_is_shown() -> None:
    console = Console(file=StringIO(), width=120)
    show(BAD, KNOWN, console)
    show_all([GOOD, BAD], KNOWN, console)
    shown = console.file.getvalue() if isinstance(console.file, StringIO) else ""
    assert "bad: 100 documents, 200 chunks" in shown
    assert "+0.050" in shown
    assert "hybrid is 0.100 below bm25 on bad: 0.800, 0.900" in shown
    assert "on good" not in shown
