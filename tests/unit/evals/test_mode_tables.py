"""The tables on modes, from records as an eval leaves them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evals.condensed import measured
from evals.evaluation import RECORDS
from evals.mode_tables import blocks, overview, section, together, verdict
from evals.record import Record, Records
from tests.unit.evals.records import nothing
from tests.unit.evals.test_compare import asked

RULES = {"reasoner": "offline-1"}
EASY = asked("hybrid", "0" * 12, searches=1, latency_ms=20.0, **RULES)
AGENT = asked("agent", "1" * 12, searches=3, latency_ms=60.0, **RULES)
LOOP = asked("loop", "0" * 12, searches=2, latency_ms=30.0, **RULES)
BM25 = asked("bm25", "1" + "0" * 11, searches=1, latency_ms=10.0, **RULES)


def condensed(folder: Path, records: list[Record]) -> dict[str, Any]:
    kept = Records(folder / RECORDS)
    for record in records:
        kept.add(record)
    [found] = measured(folder)
    return found


@pytest.fixture
def one(tmp_path: Path) -> dict[str, Any]:
    return condensed(tmp_path, [*BM25, *EASY, *LOOP, *AGENT])


def test_the_agent_of_rules_is_called_so_everywhere(one: dict[str, Any]) -> None:
    told = "\n".join(blocks({"sets": {"made": one}}).values())
    assert "agent (rules)" in told
    assert "| agent |" not in told
    by_model = one | {"rules": False}
    assert "(rules)" not in overview([by_model])


def test_times_stand_beside_those_of_bm25_in_the_same_run(one: dict[str, Any]) -> None:
    [row] = [line for line in section(one).splitlines() if line.startswith("| agent (rules) | 1.000")]
    assert row.endswith("| 60 | 60 | 6.0 | 6.0 |")


def test_what_only_a_measurement_asks_has_no_times(tmp_path: Path) -> None:
    once = asked("one_pass", "1" * 12, searches=1, latency_ms=90.0, **RULES)
    told = section(condensed(tmp_path, [*BM25, *LOOP, *once]))
    [row] = [line for line in told.splitlines() if line.startswith("| one_pass | 1.000")]
    assert row.endswith("| – | – | – | – |")
    assert "| loop beside one_pass | 12 | 1.000 | 0.000 |" in told


def test_what_only_a_measurement_asks_is_not_chosen(tmp_path: Path) -> None:
    found = condensed(tmp_path, [*LOOP, *asked("one_pass", "1" * 12, **RULES)])
    assert (found["choice"], found["beaten"]) == ("loop", {})


def test_a_set_is_headed_by_where_its_numbers_are_from_and_by_what_its_questions_have(one: dict[str, Any]) -> None:
    head = section(one).split("\n\n")[1]
    assert "code c0de" in head
    assert "12 questions: 12 with gold, 12 with points, 12 with reference answers." in head
    assert "No question is without an answer: there is no abstention F1." in head
    assert "No model was called: no tokens." in head


def test_a_figure_that_no_label_fits_is_a_dash_and_said_to_be_none(tmp_path: Path) -> None:
    unanswerable = condensed(tmp_path, asked("hybrid", "00", status="insufficient", **nothing(), **RULES))
    told = section(unanswerable)
    assert "No question is with gold: there is no citation precision and no citation recall." in told
    assert "| hybrid | 1.000 (1.000 to 1.000) | – | – | – | – | – | 1.000 | – |" in told


def test_every_mode_stands_beside_the_base_over_all_sets(one: dict[str, Any]) -> None:
    told = together([one, one | {"set": "other"}])
    assert (
        "| bm25 beside hybrid | 24 | 0.000 | 0.083 | +0.083 (+0.000 to +0.208) | 0 | 2 | 0.500 | 1.000 | no |" in told
    )
    assert "| agent (rules) beside hybrid | 24 | 0.000 | 1.000 |" in told


def test_losses_and_gains_are_told_alike(one: dict[str, Any], tmp_path: Path) -> None:
    told = verdict([one])
    assert "| agent (rules) beside hybrid | 12 | 0.000 | 1.000 | +1.000 (+1.000 to +1.000) |" in told
    assert "| better | +2.00 | 2.0 |" in told
    assert "* agent (rules) beside hybrid: surely better on `made`; surely worse on none;" in told
    assert "* loop beside hybrid: " in told
    assert "right as often on `made`." in told
    lost = [*asked("hybrid", "1" * 12, **RULES), *asked("agent", "0" * 12, **RULES)]
    (tmp_path / "lost").mkdir()
    worse = verdict([condensed(tmp_path / "lost", lost)])
    assert "surely worse on `made`" in worse
    assert "| worse | +0.00 | no gain |" in worse


def test_kinds_are_told_apart_by_name(tmp_path: Path) -> None:
    kinds = [
        *asked("hybrid", "0" * 12, kind="needle", **RULES),
        *asked("agent", "1" * 12, kind="needle", **RULES),
        *(one for mode in ("hybrid", "agent") for one in asked(mode, "1" * 13, kind="easy", **RULES)[12:]),
    ]
    found = condensed(tmp_path, kinds)
    assert "| needle | 12 | 0.000 | 1.000 | +1.000 (+1.000 to +1.000) better |" in section(found)
    assert "| easy | 1 | 1.000 | 1.000 | same |" in section(found)
    assert "* `made`, needle: agent (rules) beside hybrid, +1.000 (+1.000 to +1.000) better." in verdict([found])


def test_nothing_measured_is_said() -> None:
    assert blocks({})["modes"] == "Not measured yet."
    assert blocks({"sets": {}, "prices": []})["modes-again"] == "Not measured yet."
