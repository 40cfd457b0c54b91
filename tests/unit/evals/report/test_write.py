from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errors import BadRequest, Conflict
from evals.evaluation import RECORDS, RESULTS, owned
from evals.record import Records
from evals.report.write import FINDINGS, PAGE, command, read, write
from tests.unit.evals.test_compare import asked

KEPT: dict[str, Any] = {
    "set": "made",
    "modes": ["hybrid", "loop"],
    "questions": 2,
    "seed": 3,
    "at_once": 4,
    "repeat": 2,
    "code": "c0de",
    "settings": {"budget": {"max_retries": 1}},
    "versions": {"python": "3.11", "processors": 2, "system": "Linux", "packages": {"numpy": "2.0"}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    kept = Records(tmp_path / RECORDS)
    for one in [*asked("hybrid", "10"), *asked("loop", "11"), *asked("naive", "00", code="01d")]:
        kept.add(one)
    (tmp_path / RESULTS).write_text(json.dumps(KEPT), "utf-8")
    return tmp_path


def test_page_and_findings_are_of_the_code_that_the_results_are_of(folder: Path) -> None:
    write(folder)
    page = (folder / PAGE).read_text("utf-8")
    assert "loop and hybrid cannot be told apart on 2 questions" in page
    assert "naive" not in page
    assert (folder / FINDINGS).read_text("utf-8").startswith("# Gapseek eval: made\n")
    assert not list(folder.glob("*.new"))


def test_the_command_is_told_without_a_path_of_the_machine(folder: Path) -> None:
    told = "gapseek eval made --modes hybrid,loop --limit 2 --seed 3 --concurrency 4 --repeat 2 --budget max_retries=1"
    assert command(KEPT) == told
    assert command(KEPT | {"program": "python -m x"}) == "python -m x made --limit 2 --seed 3"
    write(folder)
    assert command(KEPT) in (folder / PAGE).read_text("utf-8")
    assert str(folder) not in (folder / PAGE).read_text("utf-8")


def test_records_without_results_are_reported_too(folder: Path) -> None:
    (folder / RESULTS).unlink()
    write(folder)
    assert "naive" in (folder / PAGE).read_text("utf-8")


def test_a_question_counts_as_it_was_asked_last(folder: Path) -> None:
    """Its wanted answer was mended since, and only some modes were asked again."""
    kept = Records(folder / RECORDS)
    for one in asked("hybrid", "1", asked="mended"):
        kept.add(one)
    _, found = read(folder)
    assert [(r.mode, r.id, r.asked) for r in found] == [
        ("hybrid", "q1", ""),
        ("loop", "q1", ""),
        ("hybrid", "q0", "mended"),
    ]


def test_without_a_record_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    (folder / RECORDS).write_text("", "utf-8")
    with pytest.raises(BadRequest, match="no answered question yet"):
        write(folder)
    with pytest.raises(BadRequest, match="That folder has no records"):
        write(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    assert not (folder / PAGE).exists()


def test_a_line_that_is_being_written_is_left_alone(folder: Path) -> None:
    half = (folder / RECORDS).read_bytes() + b'{"set": "ma'
    (folder / RECORDS).write_bytes(half)
    with owned(folder), pytest.raises(Conflict):
        read(folder)
    assert (folder / RECORDS).read_bytes() == half
