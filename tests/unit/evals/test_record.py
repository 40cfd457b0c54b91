from __future__ import annotations

from pathlib import Path

import pytest

from errors import BadRequest
from evals.record import Records
from tests.unit.evals.records import record, refused


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    kept = Records(file)
    asked = [record(1), refused(2, error="x\u2028y\nz", stop_reason=None)]
    for one in asked:
        kept.add(one)
    assert list(Records(file)) == asked
    assert asked[0].key in Records(file)
    assert record(3).key not in Records(file)
    assert record(1, filtered=True).key not in Records(file)


def test_of_two_lines_the_later_one_counts(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    kept = Records(file)
    kept.add(record(1))
    kept.add(refused(1))
    assert [one.status for one in kept] == [one.status for one in Records(file)] == ["insufficient"]


def test_lines_of_other_code_count_for_nothing(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    Records(file).add(record(1))
    assert list(Records(file, "0ther")) == []
    assert len(list(Records(file, "c0de"))) == 1


@pytest.mark.parametrize("cut", [1, 40, 300])
def test_a_line_that_a_killed_run_began_is_asked_again(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "r.jsonl"
    kept = Records(file)
    kept.add(record(1))
    kept.add(record(2, answer="三十日"))
    file.write_bytes(file.read_bytes()[:-cut])
    resumed = Records(file)
    assert [one.id for one in resumed] == ["q1"]
    resumed.add(record(2))
    assert [one.id for one in Records(file)] == ["q1", "q2"]


def test_without_a_file_they_are_kept_in_memory() -> None:
    kept = Records(None)
    kept.add(record(1))
    assert [one.id for one in kept] == ["q1"]


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    Records(file).add(record(1))
    file.write_bytes(file.read_bytes() + b'{"set": "made"}\n')
    with pytest.raises(BadRequest, match=r"r\.jsonl, line 2: not a record"):
        Records(file)


def test_an_ask_that_failed_is_not_answered() -> None:
    kept = Records(None)
    kept.add(record(1, status="failed", stop_reason=None, error="No lane."))
    kept.add(record(2))
    assert [kept.answered(record(n).key) for n in (1, 2, 3)] == [False, True, False]
    assert [one.id for one in kept.of([record(2).key, record(3).key])] == ["q2"]
