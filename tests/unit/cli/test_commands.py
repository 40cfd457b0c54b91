"""The command line over the whole app with scripted collaborators: what it prints, where, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from typer.testing import CliRunner, Result

import server
from cli import connection
from cli.main import app
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, opening, scripted

Run = Callable[..., Result]


@pytest.fixture
def index() -> MemoryIndex:
    return MemoryIndex(TEXTS)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, index: MemoryIndex) -> Run:
    """Runs a command in a folder of its own, over an app that keeps its index but no checkpoints between commands."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "index").mkdir(parents=True)
    (tmp_path / "data" / "index" / "documents.sqlite3").touch()
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opening(scripted(), index)))
    return partial(CliRunner().invoke, app)


def said(result: Result) -> Any:
    return json.loads(result.stdout)


def test_an_answer_goes_to_stdout_and_the_steps_to_stderr(run: Run) -> None:
    result = run(["ask", "How many days of paid leave?"])
    assert result.exit_code == 0
    assert "Employees have 20 days of paid leave a year [1]." in result.stdout
    assert "[1] Leave" in result.stdout
    assert "retrieve" not in result.stdout
    assert "retrieve" in result.stderr
    assert "answered (sufficient)" in result.stderr


def test_json_is_the_reply_and_nothing_else(run: Run) -> None:
    result = run(["ask", "--json", "How many days of paid leave?"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert said(result)["citations"][0]["doc_id"] == "leave"


def test_limits_are_lowered_by_name(monkeypatch: pytest.MonkeyPatch, run: Run, index: MemoryIndex) -> None:
    weak = opening(scripted(score=0.1), index)
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=weak))
    question = ["ask", "--json", "How many days of paid leave?"]
    said_ = said(run([*question, "--budget", "max_retries=0", "--budget", "deadline_s=9.5"]))
    assert (said_["stop_reason"], said_["retry_count"]) == ("max_retries", 0)
    refused = run([*question, "--budget", "max_retries=99"])
    assert refused.exit_code == 2
    assert "max_retries" in refused.stderr


def test_a_person_is_asked_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch, run: Run, index: MemoryIndex) -> None:
    weak = opening(scripted(score=0.1), index)
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=weak))
    question = ["ask", "--json", "How many days of paid leave?"]
    assert said(run([*question, "--handoff"]))["status"] == "awaiting_human"
    monkeypatch.setenv("GAPSEEK_HANDOFF", "on")
    assert said(run([*question, "--no-handoff"]))["status"] == "insufficient"


def test_a_draft_comes_on_stderr(run: Run) -> None:
    result = run(["ask", "--draft", "How many days of paid leave?"])
    assert result.exit_code == 0
    assert "draft, not verified: " in result.stderr
    assert "draft" not in result.stdout


def test_nothing_found_is_exit_status_1(monkeypatch: pytest.MonkeyPatch, run: Run, index: MemoryIndex) -> None:
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=opening(scripted(score=0.1), index)))
    result = run(["ask", "--json", "How many days of paid leave?"])
    assert result.exit_code == 1
    assert said(result)["status"] == "insufficient"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["ask", " "], "empty"),
        (["ask", "days?", "--thread", "nobody's"], "no such thread"),
        (["ask", "days?", "--mode", "magic"], "not built yet"),
        (["search", "days", "--mode", "magic"], "not built yet"),
        (["history", "../health"], "nothing at this address"),
        (["replay", "nobody's", "nothing"], "no such thread"),
        (["ingest", "nowhere"], "no such file"),
    ],
)
def test_an_error_is_one_sentence_on_stderr_and_exit_status_2(run: Run, command: list[str], sentence: str) -> None:
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("gapseek: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        "ask",
        "ask a --filters [1]",
        "ask a --filters {",
        'ask a --filters {"year":NaN}',
        "fly",
        "search -k 0 a",
        "ask a --draft --json",
        "ask a --budget max_retries",
        "ask a --budget max_retries=x",
        "search a --data=",
    ],
)
def test_wrong_usage_is_exit_status_2(run: Run, command: str) -> None:
    assert run(command.split()).exit_code == 2


def test_a_setting_that_cannot_be_used_is_named_without_its_value(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAPSEEK_PORT", "hunter2")
    result = run(["search", "days"])
    assert result.exit_code == 2
    assert result.stderr.startswith("gapseek: GAPSEEK_PORT: ")
    assert "hunter2" not in result.stderr


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("GAPSEEK_ALLOWED_HOSTS", "evil", "setting cannot be read"),
        ("GAPSEEK_CHAT", "x", "setting cannot be read"),
        ("GAPSEEK_DATA", "a-file/folder", "holds no index"),
        ("GAPSEEK_DATA", "", "not an empty name"),
    ],
)
def test_an_environment_that_cannot_be_used_is_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str, sentence: str
) -> None:
    (tmp_path / "a-file").touch()
    monkeypatch.setattr(server, "create_app", create_app)
    monkeypatch.setenv(name, value)
    result = run(["ask", "days"])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_what_nobody_foresaw_is_no_status_of_finding_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path) -> None:
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(connection, "owner_of", broken)
    result = run(["search", "leave"])
    assert result.exit_code == 2
    assert "nobody foresaw this" in result.stderr
    assert result.stderr.rstrip().endswith("gapseek: Something unexpected went wrong; the lines above say where.")


READING = (
    ["search", "days"],
    ["ask", "days?"],
    ["history", "t"],
    ["replay", "t", "c"],
    ["diff", "t", "t"],
    ["export", "t"],
    ["documents", "list"],
    ["documents", "show", "leave"],
    ["documents", "set", "leave", "year=2024"],
    ["documents", "delete", "leave"],
    ["backup", "b.zip"],
    ["reindex"],
)


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("by_option", [True, False])
def test_a_mistyped_data_folder_is_refused_and_not_made(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str], by_option: bool
) -> None:
    if by_option:
        command = [*command, "--data", "daat"]
    else:
        monkeypatch.setenv("GAPSEEK_DATA", "daat")
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--data or GAPSEEK_DATA" in result.stderr
    assert not (tmp_path / "daat").exists()


def test_a_first_question_in_a_new_place_is_asked_of_the_sample(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[bool] = []

    def created(settings: Settings, *, sample: bool, **more: Any) -> FastAPI:
        asked.append(sample)
        return create_app(settings, sample=sample, opener=opening(scripted()), **more)

    monkeypatch.setattr(server, "create_app", created)
    assert "data folder" not in run(["ask", "How many days of paid leave?"]).stderr
    (tmp_path / "data" / "index" / "documents.sqlite3").unlink()
    assert "with the sample in it" in run(["ask", "How many days of paid leave?"]).stderr
    assert asked == [False, True]


def test_filters_reach_the_search(run: Run, index: MemoryIndex) -> None:
    assert run(["search", "days", "--filters", '{"year": 2024}', "-k", "1"]).exit_code == 0
    assert (index.requests[-1].filters, index.requests[-1].top_k) == ({"year": 2024}, 1)


def test_a_search_without_hits_is_exit_status_1(run: Run) -> None:
    assert said(run(["search", "--json", "days"]))["hits"][0]["doc_id"] == "leave"
    assert "Employees" in run(["search", "days"]).stdout
    assert run(["search", "qqqq"]).exit_code == 1


def test_ingest_counts_and_names_what_failed(run: Run, index: MemoryIndex, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").write_text("---\ntitle: Leave\nyear: 2024-01-02\n---\nTwenty days.", encoding="utf-8")
    (folder / "b.txt").write_bytes("补充规定自公布之日起施行。".encode("gbk"))
    (folder / "c.txt").write_bytes(b"\0\0\xff\xff")
    (folder / "d.md").write_text("Refused.", encoding="utf-8")
    (folder / "e.md").write_text("---\n$x: 1\n---\nBad metadata.", encoding="utf-8")
    index.refused.add("d.md")
    result = run(["ingest", str(folder)])
    assert result.exit_code == 1
    assert result.stdout == "2 added, 0 updated, 0 unchanged, 3 failed\n"
    failures = [line for line in result.stderr.splitlines() if line.startswith("gapseek: ")]
    assert [line.split(": ")[1] for line in failures] == ["c.txt", "d.md", "e.md"]
    assert "This document cannot be indexed." in result.stderr
    assert index.passages["a.md-1"].metadata == {"file": "a.md", "year": "2024-01-02"}
    assert index.passages["b.txt-1"].text == "补充规定自公布之日起施行。"


def test_ingest_without_failures_is_exit_status_0(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Twenty days.", encoding="utf-8")
    result = run(["ingest", str(tmp_path / "a.md")])
    assert (result.exit_code, result.stdout) == (0, "1 added, 0 updated, 0 unchanged, 0 failed\n")


def test_the_version_is_that_of_the_package(run: Run) -> None:
    result = run(["--version"])
    assert (result.exit_code, result.stdout.split()[0]) == (0, "gapseek")


def test_every_command_explains_itself(run: Run) -> None:
    commands = (
        "serve",
        "ask",
        "ingest",
        "search",
        "history",
        "replay",
        "diff",
        "export",
        "demo",
        "documents",
        "reindex",
        "backup",
        "restore",
    )
    for command in commands:
        assert run([command, "--help"]).exit_code == 0
        assert command in run(["--help"]).stdout
