from __future__ import annotations

from pathlib import Path

from evals.measure import LookAlikes
from evals.results import Report, Results
from tests.unit.evals.made import result, row


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    one = result("one", row("bm25", 0.5), row("bm25", 0.7, filtered=True), caught=LookAlikes(3, 1.0, 0.0))
    kept = Report({"one": one, "two": result("two", row("bm25", 1.0, kind="city"))})
    Results(tmp_path / "sub" / "results.json").write(kept)
    assert Results(tmp_path / "sub" / "results.json").read() == kept
    assert [file.name for file in (tmp_path / "sub").iterdir()] == ["results.json"]


def test_without_a_file_nothing_is_kept_and_nothing_is_there(tmp_path: Path) -> None:
    Results(None).write(Report({"one": result("one")}))
    assert Results(None).read() == Results(tmp_path / "none.json").read() == Report()


def test_a_row_is_found_by_way_kind_and_filter() -> None:
    one = result("one", row("bm25", 0.5), row("bm25", 0.7, filtered=True), row("hybrid", 0.9, kind="city"))
    found = [one.row("bm25"), one.row("bm25", filtered=True), one.row("hybrid", "city"), one.row("hybrid")]
    assert found == [*one.rows, None]
    assert one.ways == ["bm25", "hybrid"]
