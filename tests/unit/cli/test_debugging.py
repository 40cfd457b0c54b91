"""`gapseek diff`, `gapseek export` and what `gapseek replay` may change, over one data folder."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import cast

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
SCORES = {"now": 0.95}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command over an app that answers by script and keeps its threads in a file."""

    @asynccontextmanager
    async def opener(settings: Settings) -> AsyncIterator[Services]:
        index, reasoner = cast(Index, MemoryIndex(TEXTS)), scripted(score=SCORES["now"])
        async with open_saver(tmp_path / "threads.sqlite") as saver:
            with Converter() as converter:
                yield Services(settings, build(saver), saver, index, reasoner, None, converter)

    (tmp_path / "data" / "index").mkdir(parents=True)
    (tmp_path / "data" / "index" / "documents.sqlite3").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opener))
    monkeypatch.setitem(SCORES, "now", 0.95)
    return partial(CliRunner().invoke, app)


@pytest.fixture
def pair(run: Run, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A thread, and its evidence judged anew by a stricter judge."""
    said = json.loads(run(["ask", "How many days of paid leave?", "--json"]).stdout)
    monkeypatch.setitem(SCORES, "now", 0.6)
    again = run(["replay", said["thread_id"], said["checkpoint_id"], "--recorded-evidence", "--json"])
    assert again.exit_code == 1
    replayed = json.loads(again.stdout)
    assert (replayed["edited"], replayed["stop_reason"]) == (["evidence"], "single_pass")
    return said["thread_id"], replayed["thread_id"]


def test_two_runs_are_shown_beside_each_other(run: Run, pair: tuple[str, str]) -> None:
    shown = run(["diff", *pair])
    assert shown.exit_code == 0
    lines = {line.split("  ")[0].strip(): line for line in shown.stdout.splitlines() if line.strip()}
    assert lines["stop reason"].split()[-2:] == ["sufficient", "single_pass"]
    assert lines["status"].split()[-2:] == ["answered", "insufficient"]
    assert "0.95" in next(line for name, line in lines.items() if name.startswith("grade"))
    assert "[-Employees have 20 days of paid leave a year [1]" in shown.stdout
    assert "{+The available documents do not answer this question+}" in shown.stdout
    told = json.loads(run(["diff", *pair, "--json"]).stdout)
    assert told["threads"]["after"]["thread_id"] == pair[1]


def test_an_export_is_a_file_that_is_not_written_over(run: Run, pair: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    written = run(["export", pair[0], str(file)])
    assert (written.exit_code, written.stdout) == (0, f"{file}: 6 steps\n")
    exported = json.loads(file.read_text(encoding="utf-8"))
    assert exported["thread_id"] == pair[0]
    assert json.loads(run(["export", pair[0]]).stdout)["steps"] == exported["steps"]
    again = run(["export", pair[0], str(file)])
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    assert run(["export", pair[0], str(file), "--force"]).exit_code == 0


def test_the_history_tells_why_and_what_it_cost(run: Run, pair: tuple[str, str]) -> None:
    shown = run(["history", pair[0]]).stdout
    assert "which reaches the threshold 0.70" in shown
    assert "2 searches" in shown


def test_an_unknown_model_is_a_sentence_with_those_that_there_are(run: Run, pair: tuple[str, str]) -> None:
    steps = json.loads(run(["history", pair[0], "--json"]).stdout)["steps"]
    refused = run(["replay", pair[0], steps[0]["checkpoint_id"], "--model", "x"])
    assert (refused.exit_code, refused.stderr) == (2, "gapseek: There is no model of this name; there are default.\n")
