"""`gapseek eval` over a knowledge base and a CSV of questions: what it writes, where, and what it leaves alone."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from typer.testing import CliRunner, Result

from cli.main import app
from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.embeddings.e5 import E5Embedder
from corpus.owner import DataFolder
from corpus.store.database import Database
from errors import Misconfigured, Unavailable
from evals.evaluation import Wanted, evaluate
from evals.plan import Planned
from evals.record import Record, Records
from evals.trial import Trials
from graph.wiring import open_services
from settings import Settings

DOCUMENTS = [
    NewDocument("leave.md", "Employees have 20 days of paid leave a year.", "Leave"),
    NewDocument("notice.md", "The notice period is 3 months for both sides.", "Notice"),
    NewDocument("board.md", "The board meets 4 times a year.", "Board", groups=frozenset({"board"})),
]
QUESTIONS = """question,answer,gold,points,kind
How many days of paid leave do employees have?,20 days,leave.md,20 days,number
How many months is the notice period?,3 months,notice.md,3 months,number
Which rainbow trout did Napoleon admire?,,,,unanswerable
Thanks!,,,,small_talk
"""

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command where there are a knowledge base, without vectors, and four questions about it."""
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    monkeypatch.chdir(tmp_path)
    asyncio.run(_made(tmp_path / "data"))
    (tmp_path / "mine.csv").write_text(QUESTIONS, "utf-8")

    def command(*words: str) -> Result:
        return CliRunner().invoke(app, ["eval", *words])

    return command


async def _made(data: Path) -> None:
    async with open_services(Settings(data=data), sample=False) as services:
        await services.index.add(DOCUMENTS, Principal())


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


def results(folder: Path) -> Any:
    return json.loads((folder / "results.json").read_text("utf-8"))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of what is asked from now on."""
    asked: list[str] = []
    real = Trials.ask

    async def ask(self: Trials, planned: Planned) -> Record:
        asked.append(planned.case.question)
        return await real(self, planned)

    monkeypatch.setattr(Trials, "ask", ask)
    return asked


def test_from_a_csv_to_a_table_and_the_knowledge_base_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    before = contents(tmp_path / "data")
    done = run("mine.csv", "--out", "out", "--modes", "loop,one_pass", "--seed", "7")
    assert done.exit_code == 0, done.output
    assert contents(tmp_path / "data") == before
    kept = results(tmp_path / "out")
    assert [(row["mode"], row["asks"]) for row in kept["scores"] if row["kind"] == "all"] == [
        ("loop", 4),
        ("one_pass", 4),
    ]
    quoted = [source for record in Records(tmp_path / "out" / "records.jsonl") for source in record.cited]
    assert len(quoted) == 4
    assert all(source.stands for source in quoted)
    quality = kept["scores"][0]["quality"]
    assert (quality["right"], quality["points"], quality["abstention F1"]) == (1.0, 1.0, 1.0)
    assert quality["small talk looked up"] == quality["answered directly"] == 0.0
    assert done.stdout.startswith("# mine\n")
    assert "| loop | 4 | 1.000 | 1.000 |" in done.stdout
    assert (tmp_path / "out" / "summary.md").read_text("utf-8") in done.stdout


def test_every_result_names_seed_versions_and_settings_and_no_key_or_path(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAPSEEK_RERANK__API_KEY", "sk-not-to-be-shown")
    assert run("mine.csv", "--out", "out", "--seed", "7").exit_code == 0
    kept = results(tmp_path / "out")
    name, code = kept["settings"]["fingerprint"], kept["code"]
    assert (kept["seed"], len(name), len(code)) == (7, 8, 8)
    assert kept["versions"]["gapseek"]
    [record, *_] = Records(tmp_path / "out" / "records.jsonl")
    assert (record.seed, record.settings, record.code) == (7, name, code)
    assert record.version == kept["versions"]["gapseek"]
    assert record.dials["max_retries"] == 3
    summary = (tmp_path / "out" / "summary.md").read_text("utf-8")
    assert all(part in summary for part in (f"seed {7}", f"settings {name}", f"code {code}", record.version))
    for file in ("records.jsonl", "results.json", "summary.md"):
        text = (tmp_path / "out" / file).read_text("utf-8")
        assert "sk-not-to-be-shown" not in text
        assert str(tmp_path) not in text


def test_two_runs_with_the_same_seed_give_the_same_quality(run: Run, tmp_path: Path) -> None:
    told = []
    for out in ("one", "two"):
        assert run("mine.csv", "--out", out, "--limit", "3", "--seed", "2", "--repeat", "2").exit_code == 0
        told.append([(row["kind"], row["quality"], row["spread"]) for row in results(tmp_path / out)["scores"]])
    assert told[0] == told[1]
    assert told[0][0][2]["right"]["deviation"] == 0.0


def test_it_goes_on_where_it_was_killed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("mine.csv", "--out", "out").exit_code == 0
    file = tmp_path / "out" / "records.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]) + lines[2][:70])
    asked = counted(monkeypatch)
    assert run("mine.csv", "--out", "out").exit_code == 0
    assert len(asked) == 2
    assert results(tmp_path / "out")["missing"] == 0
    assert run("mine.csv", "--out", "out").exit_code == 0
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ("question", 1),
        ("documents", 4),
        ("seed", 4),
        ("setting", 4),
        ("budget", 4),
    ],
)
def test_what_was_changed_is_asked_anew(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, again: int
) -> None:
    assert run("mine.csv", "--out", "out").exit_code == 0
    asked, more = counted(monkeypatch), []
    if change == "question":
        corrected = QUESTIONS.replace(",3 months,number", ",3 months|three months,number")
        (tmp_path / "mine.csv").write_text(corrected, "utf-8")
    elif change == "documents":
        DOCUMENTS.append(NewDocument("new.md", "Lunch is at noon."))
        asyncio.run(_made(tmp_path / "data"))
        DOCUMENTS.pop()
    elif change == "setting":
        monkeypatch.setenv("GAPSEEK_THRESHOLD", "0.75")
    else:
        more = {"seed": ["--seed", "1"], "budget": ["--budget", "max_retries=1"]}[change]
    assert run("mine.csv", "--out", "out", *more).exit_code == 0
    assert len(asked) == again
    assert results(tmp_path / "out")["scores"][0]["asks"] == 4


def test_an_ask_that_failed_is_asked_again(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> Record:
        raise Unavailable("No lane.")

    with monkeypatch.context() as away:
        away.setattr(Trials, "_watched", fails)
        assert run("mine.csv", "--out", "out").exit_code == 0
        assert results(tmp_path / "out")["scores"][0]["quality"]["failed"] == 1.0
    assert run("mine.csv", "--out", "out").exit_code == 0
    assert results(tmp_path / "out")["scores"][0]["quality"]["failed"] == 0.0


def test_where_no_ask_can_go_well_it_ends(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> Record:
        raise Misconfigured("The key is not known there.")

    monkeypatch.setattr(Trials, "_watched", fails)
    done = run("mine.csv", "--out", "out")
    assert (done.exit_code, done.stderr) == (2, "gapseek: The key is not known there.\n")


def test_beside_a_running_owner_a_copy_is_measured_and_that_is_said(run: Run, tmp_path: Path) -> None:
    with DataFolder.acquire(tmp_path / "data", "http://127.0.0.1:1"):
        database = Database.open(tmp_path / "data" / "index" / "documents.sqlite3")
        documents = contents(tmp_path / "data")
        done = run("mine.csv", "--out", "out")
        after = contents(tmp_path / "data")
        database.close()
    # The index of the owner's log is in memory that its readers share, and they note in it where they read.
    assert {name for name in documents if documents[name] != after[name]} <= {"index/documents.sqlite3-shm"}
    assert documents.keys() == after.keys()
    assert done.exit_code == 0
    assert "in use by process" in done.stderr
    assert "a copy of it as of this moment is asked" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["broken.csv"], "broken.csv, line 3: the question is empty."),
        (["unknown.csv"], "unknown.csv, line 2: there is no document 'gone.md' in the knowledge base."),
        (["board.csv"], "board.csv, line 2: there is no document 'board.md' in the knowledge base."),
        (["mine.csv", "--modes", "loop,magic"], "There is no mode named 'magic'; there are "),
        (["mine.csv", "--budget", "max_retries=99"], "'max_retries' may be lowered but not raised"),
        (["mine.csv", "--judge"], "--judge needs a chat model"),
        (["mine.csv", "--out", "data/out"], "outside the knowledge base that is measured"),
        (["mine.csv", "--out", "mine.csv"], "there is a file of that name"),
        (["nothing"], "There is no such set"),
        (["nothing.csv"], "There is no file nothing.csv of questions."),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    (tmp_path / "broken.csv").write_text("question,gold\nA?,leave.md\n,leave.md\n", "utf-8")
    (tmp_path / "unknown.csv").write_text("question,gold\nA?,gone.md\n", "utf-8")
    (tmp_path / "board.csv").write_text("question,gold\nA?,board.md\n", "utf-8")
    asked, before = counted(monkeypatch), contents(tmp_path)
    done = run(*words)
    assert done.exit_code == 2
    assert told in done.stderr
    assert asked == []
    assert contents(tmp_path) == before


def test_a_member_of_a_group_is_asked_for_as_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "board.csv").write_text("question,gold\nHow often does the board meet?,board.md\n", "utf-8")
    assert run("board.csv", "--groups", "board", "--out", "out").exit_code == 0
    assert results(tmp_path / "out")["scores"][0]["quality"]["citation recall"] == 1.0


def test_two_at_once_do_not_write_into_one_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / "eval.lock"):
        done = run("mine.csv", "--out", "out")
    assert (done.exit_code, "Another eval writes into that folder" in done.stderr) == (2, True)


def test_broken_off_it_keeps_what_there_is(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Trials.ask

    async def once(self: Trials, planned: Planned) -> Record:
        if len(list(Records(tmp_path / "out" / "records.jsonl"))):
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(60)
        return await real(self, planned)

    monkeypatch.setattr(Trials, "ask", once)
    done = run("mine.csv", "--out", "out", "--concurrency", "1")
    assert done.exit_code == 130
    assert "run the same command again to go on" in done.stderr
    assert results(tmp_path / "out")["missing"] == 3
    assert "3 asks have no result yet" in (tmp_path / "out" / "summary.md").read_text("utf-8")


def test_a_folder_brings_its_own_documents(run: Run, tmp_path: Path) -> None:
    made = tmp_path / "made"
    made.mkdir()
    documents = [{"id": document.doc_id, "text": document.text} for document in DOCUMENTS[:2]]
    asked = [
        {"id": "q1", "question": "How many months is the notice period?", "gold": ["notice.md"], "answerable": True}
    ]
    for name, lines in (("corpus", documents), ("questions", asked)):
        (made / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    done = run("made", "--modes", "all")
    assert done.exit_code == 0, done.output
    assert results(tmp_path / "eval-made")["scores"][0]["quality"]["citation recall"] == 1.0
    assert run("made", "--data", "data").exit_code == 2
    (made / "questions.jsonl").write_text(json.dumps(asked[0]) + "\n{", "utf-8")
    assert "questions.jsonl, line 2: not a JSON object." in run("made").stderr


def test_progress_counts_what_was_done_before(run: Run, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def tick(part: str, done: int, total: int) -> None:
        told.append((part, done, total))

    wanted = Wanted("mine.csv", tmp_path / "out", limit=2)
    evaluate(wanted, Settings(), tick)
    evaluate(Wanted("mine.csv", tmp_path / "out", limit=3), Settings(), tick)
    assert told == [
        *(("mine, loop", done, 2) for done in range(3)),
        *(("mine, loop", done, 3) for done in (2, 3)),
    ]


def test_questions_are_drafted_and_can_be_asked(run: Run, tmp_path: Path) -> None:
    before = contents(tmp_path / "data")
    assert run("init", "--out", "drafts.csv", "--seed", "1").exit_code == 0
    assert contents(tmp_path / "data") == before
    drafts = (tmp_path / "drafts.csv").read_bytes()
    assert run("init", "--out", "drafts.csv", "--seed", "1").exit_code == 2, "a person may have corrected it"
    assert run("init", "--out", "drafts.csv", "--seed", "1", "--force").exit_code == 0
    assert (tmp_path / "drafts.csv").read_bytes() == drafts
    assert b"how many days" in drafts
    assert b"board" not in drafts, "who is in no group may not see it"
    assert run("drafts.csv", "--out", "out").exit_code == 0
    assert results(tmp_path / "out")["questions"] == 4
