"""From a set of questions to what its comparison says, by the commands, over a small set and by words alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from corpus.embeddings.e5 import E5Embedder
from evals import tuning
from evals.record import Records
from settings import Settings

DOCUMENTS = [
    {"id": "pay", "text": "电梯维修费用由物业承担。维修须在三十日内完成。"},
    {"id": "leave", "text": "Employees have 20 days of leave. The notice period is 3 months."},
    {"id": "film", "text": "录像保存三十日，业主可以查看。"},
]
ASKED = [
    "电梯维修费用由谁承担？",
    "How many days of leave do employees have?",
    "录像保存多久？",
    "<b>How long</b> is the notice period?",
]
GOLD = ["pay", "leave", "film", "leave"]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "made"
    folder.mkdir()
    questions = [
        {"id": f"q{n}", "question": text, "gold": [gold], "answers": [], "answerable": True, "kind": kind}
        for n, (text, gold, kind) in enumerate(zip(ASKED, GOLD, ("one", "two", "one", "two"), strict=True))
    ]
    for name, lines in (("corpus", DOCUMENTS), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return folder


def gapseek(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_an_eval_of_the_ladder_ends_in_a_page_that_names_the_rung(made: Path) -> None:
    done = gapseek("eval", "made", "--modes", "ladder,ablation", "--out", "out")
    assert done.exit_code == 0, done.output
    modes = {record.mode for record in Records(Path("out/records.jsonl"))}
    assert {"hybrid", "self_query", "loop-feedback@max_retries=1", "loop", "loop-question", "loop-feedback"} <= modes
    page = Path("out/report.html").read_text("utf-8")
    assert "Ladder: what each part adds" in page
    assert "the gain stops there" in page
    assert "not measured: rerank" in page
    assert "gapseek eval made --modes hybrid,self_query," in page
    assert "<b>" not in page


def test_a_report_can_be_made_anew_from_what_is_kept(made: Path) -> None:
    gapseek("eval", "made", "--modes", "bm25,loop", "--out", "out")
    first = Path("out/report.html").read_bytes()
    Path("out/report.html").unlink()
    done = gapseek("eval", "report", "out")
    assert done.exit_code == 0, done.output
    assert Path("out/report.html").read_bytes() == first
    assert "loop and bm25 cannot be told apart on 4 questions" in done.output
    assert Path("out/findings.md").read_text("utf-8").startswith("# Gapseek eval: made\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eval", "report", "nowhere"), "has no records.jsonl"),
        (("eval", "made", "--modes", "loop,lop"), "There is no mode named 'lop'"),
        (("eval", "made", "--modes", "loop-rerank"), "set GAPSEEK_RERANK__KIND"),
        (("tune", "made", "--wrong", "-1"), "Invalid value"),
        (("tune", "nowhere"), "There is no such set"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_sentence(made: Path, words: tuple[str, ...], said: str) -> None:
    done = gapseek(*words)
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_tuning_keeps_what_is_there_unless_something_is_better_for_certain(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, values in (("THRESHOLDS", (0.6,)), ("RETRIES", (0,)), ("TOP_K", ())):
        monkeypatch.setattr(tuning, name, values)
    done = gapseek("tune", "made", "--out", "tuned", "--million-tokens", "1")
    assert done.exit_code == 0, done.output
    lines = Path("tuned/tuned.env").read_text("utf-8")
    assert lines in done.output
    assert "# Keep what you have: nothing else is better for certain." in lines
    assert "hardly any setting can be shown to be better" in " ".join(done.output.split())
    read = Settings(_env_file="tuned/tuned.env")  # type: ignore[call-arg]  # known at run time
    assert (read.threshold, read.max_retries, read.top_k) == (0.7, 3, 30)
    asked = {record.mode for record in Records(Path("tuned/records.jsonl"))}
    assert asked == {f"loop@threshold={t}@max_retries={r}@top_k=30" for t in ("0.6", "0.7") for r in (0, 3)}
