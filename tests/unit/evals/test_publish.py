from __future__ import annotations

import json
from pathlib import Path

import pytest

from errors import BadRequest
from evals import answers_report
from evals.evaluation import RECORDS
from evals.markdown import fill
from evals.publish import ANSWERS, ANSWERS_PAGE, KEPT, PAGE, blocks, options, publish
from evals.record import Records
from evals.results import Report, Results
from tests.unit.evals.made import result, row
from tests.unit.evals.records import record, refused

ROOT = Path(__file__).parents[3]
MARKED = "# B\n<!-- table: recall -->\n<!-- end -->\n<!-- table: hybrid -->\n<!-- end -->\n"


def test_the_page_says_what_was_measured() -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    written = fill(page, blocks(json.loads((ROOT / KEPT).read_text("utf-8"))))
    assert page == written, "run: python -m evals.publish"


def test_the_answers_page_says_what_was_measured() -> None:
    page = (ROOT / ANSWERS_PAGE).read_text("utf-8")
    written = fill(page, answers_report.blocks(json.loads((ROOT / ANSWERS).read_text("utf-8"))))
    assert page == written, "run: python -m evals.publish"


def test_records_go_into_the_answers_page_and_stay_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PAGE.parent.mkdir()
    PAGE.write_text("# B\n", "utf-8")
    tables = "".join(f"<!-- table: {name} -->\n<!-- end -->\n" for name in ("statuses", "sources"))
    ANSWERS_PAGE.write_text(f"# A\n{tables}", "utf-8")
    kept = Records(tmp_path / RECORDS)
    kept.add(record(1, filtered=True))
    kept.add(refused(2))
    kept.add(refused(2, mode="naive"))
    publish(options(["--answers", "."]))
    first = ANSWERS_PAGE.read_text("utf-8")
    assert "| made, loop | 2 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |" in first, "each as it was asked, under its filter or not"
    assert "naive" not in first
    assert "* `made`: gapseek eval; seed 0; code c0de;" in first
    publish(options([]))
    assert ANSWERS_PAGE.read_text("utf-8") == first
    with pytest.raises(BadRequest, match=r"no records\.jsonl"):
        publish(options(["--answers", "nowhere"]))


def test_results_go_into_the_page_and_stay_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PAGE.parent.mkdir()
    PAGE.write_text(MARKED, "utf-8")
    Results(tmp_path / "r.json").write(Report({"one": result("one", row("bm25", 0.9))}))
    (tmp_path / "base.md").write_text("| set | kind | R@5 |\n|---|---|---|\n| one | ALL | 0.8 |\n", "utf-8")
    publish(options(["--retrieval", "r.json", "--baselines", "base.md"]))
    first = PAGE.read_text("utf-8")
    assert "| one | 10 | 0.900 | +0.100 |" in first
    assert "Not measured yet." in first
    publish(options([]))
    assert PAGE.read_text("utf-8") == first
    Results(tmp_path / "r.json").write(Report({"two": result("two", row("bm25", 0.7))}))
    publish(options(["--retrieval", "r.json"]))
    assert "| one | 10 | 0.900 | +0.100 |\n| two | 10 | 0.700 |" in PAGE.read_text("utf-8"), "what was measured stays"


def test_a_part_measured_alone_takes_nothing_from_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PAGE.parent.mkdir()
    PAGE.write_text("# B\n", "utf-8")
    (tmp_path / "bench.json").write_text('{"notes": {"x": "is used so"}, "keyword": []}', "utf-8")
    publish(options(["--bench", "bench.json"]))
    (tmp_path / "alone.json").write_text('{"notes": {"x": "is used otherwise"}}', "utf-8")
    publish(options(["--bench", "alone.json"]))
    assert json.loads(KEPT.read_text("utf-8"))["bench"] == {"notes": {"x": "is used otherwise"}, "keyword": []}
