"""`gapseek threads` and `gapseek reply`, over one data folder of checkpoints."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner, Result

import server
from cli.main import app
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from graph.build import build
from graph.checkpoints import open_saver
from graph.wiring import Services
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, scripted

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command over an app that finds nothing, hands everything over, and keeps its threads in a file."""

    @asynccontextmanager
    async def opener(settings: Settings) -> AsyncIterator[Services]:
        index = cast(Index, MemoryIndex(TEXTS))
        async with open_saver(tmp_path / "threads.sqlite") as saver:
            with Converter() as converter:
                yield Services(settings, build(saver), saver, index, scripted(score=0.1), None, converter)

    (tmp_path / "data" / "index").mkdir(parents=True)
    (tmp_path / "data" / "index" / "documents.sqlite3").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAPSEEK_HANDOFF", "on")
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opener))
    return partial(CliRunner().invoke, app)


def said(result: Result) -> Any:
    return json.loads(result.stdout)


def test_a_question_that_waits_is_listed_and_replied_to(run: Run) -> None:
    asked = run(["ask", "How many days of paid leave?"])
    assert asked.exit_code == 1
    assert "a person has been asked" in asked.stdout
    assert "awaiting_human" in asked.stderr
    assert "None" not in asked.stderr
    (waiting,) = said(run(["threads", "--awaiting", "--json"]))["threads"]
    shown = run(["threads", "--awaiting"])
    assert shown.exit_code == 0
    assert waiting["thread_id"] in shown.stdout
    replied = run(["reply", waiting["thread_id"], "Thirty.", "--name", "Wang"])
    assert (replied.exit_code, "answered (human)" in replied.stdout) == (0, True)
    assert run(["threads", "--awaiting"]).exit_code == 1
    assert "answered by Wang" in run(["history", waiting["thread_id"]]).stdout
    again = run(["reply", waiting["thread_id"], "Forty."])
    assert (again.exit_code, again.stderr) == (2, "gapseek: This thread waits for no reply.\n")


def test_declining_gives_the_machines_reason(run: Run) -> None:
    waiting = said(run(["ask", "--json", "How many days of paid leave?"]))["thread_id"]
    assert said(run(["reply", waiting, "--decline", "--json"]))["status"] == "insufficient"


def test_a_row_of_a_pipe_is_one_line(run: Run) -> None:
    question = f"How many days of paid leave {'after a year of work ' * 10}?"
    run(["ask", "--json", question])
    assert any(line.count(question) for line in run(["threads"]).stdout.splitlines())


def test_more_threads_than_a_page_are_told(run: Run) -> None:
    for question in ("One?", "Two?"):
        run(["ask", "--json", question])
    first = run(["threads", "--limit", "1"])
    assert "There are more: --after " in first.stderr
    rest = said(run(["threads", "--json", "--after", first.stderr.split()[-1]]))
    assert [one["question"] for one in rest["threads"]] == ["One?"]


@pytest.mark.parametrize("command", ["reply x", "reply x text --decline", "threads --limit 0"])
def test_wrong_usage_is_exit_status_2(run: Run, command: str) -> None:
    assert run(command.split()).exit_code == 2
