"""`gapseek prompts`, and commands that refuse to begin with prompts that cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from api import local
from cli.main import app
from reasoner.prompt_set import built_in

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return partial(CliRunner().invoke, app)


def change(file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")


def test_a_folder_of_ones_own_from_export_to_show(run: Run, tmp_path: Path) -> None:
    written = run(["prompts", "export", "mine", "route.zh", "evaluate.en.md"])
    assert written.stdout.split() == ["mine/route.zh.md", "mine/evaluate.en.md"]
    change(tmp_path / "mine" / "route.zh.md", "你守在", "你站在")
    checked = run(["prompts", "check", "--folder", "mine"])
    assert checked.exit_code == 0
    assert "): evaluate.en.md, route.zh.md\n" in checked.stdout
    assert f"built-in ({built_in().fingerprint}): all built in\n" in checked.stdout
    shown = run(["prompts", "show", "route.zh", "--folder", "mine"])
    assert shown.stdout == built_in().texts["route.zh.md"].replace("你守在", "你站在")
    other = run(["prompts", "show", "route.zh", "--folder", "mine", "--set", "built-in"])
    assert other.stdout == built_in().texts["route.zh.md"]


def test_the_list_says_where_each_is_from(run: Run) -> None:
    run(["prompts", "export", "mine", "route.zh"])
    lines = run(["prompts", "show", "--folder", "mine"]).stdout.splitlines()
    assert len(lines) == len(built_in().texts)
    assert [line for line in lines if "default" in line] == ["route.zh  default"]


def test_what_is_wrong_is_told_and_counts(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(["prompts", "export", "mine", "evaluate.zh"])
    change(tmp_path / "mine" / "evaluate.zh.md", "0.7", "0.6")
    monkeypatch.setenv("GAPSEEK_PROMPTS__SETS__STRICT", "mine")
    checked = run(["prompts", "check"])
    assert checked.exit_code == 2
    expected = "GAPSEEK_PROMPTS__SETS, strict: evaluate.zh.md does not state the anchor `inference` beside 0.7."
    assert checked.stderr == f"gapseek: {expected}\n"


def test_what_is_unwise_is_told(run: Run, tmp_path: Path) -> None:
    run(["prompts", "export", "mine", "route.en"])
    change(tmp_path / "mine" / "route.en.md", "You stand at", "very " * 1_000 + "You stand at")
    checked = run(["prompts", "check", "--folder", "mine"])
    assert checked.exit_code == 0
    assert "gapseek: default: route.en.md, `# User`: it takes some" in checked.stderr


@pytest.mark.parametrize("words", [["show", "rout"], ["export", "mine", "rout"]])
def test_a_name_that_no_prompt_has_is_a_usage_error(run: Run, words: list[str], tmp_path: Path) -> None:
    assert run(["prompts", *words]).exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["ask", "why"], ["ingest", "mine"]])
def test_no_port_opens_with_prompts_that_cannot_be_used(
    run: Run, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    monkeypatch.setattr(local, "listen", lambda *address: opened.append(address))
    run(["prompts", "export", "mine", "route.en"])
    change(tmp_path / "mine" / "route.en.md", "$question", "$qeustion")
    monkeypatch.setenv("GAPSEEK_PROMPTS__FOLDER", "mine")
    done = run(command)
    assert done.exit_code == 2
    assert "GAPSEEK_PROMPTS__FOLDER: route.en.md, `# User`: $question is missing." in done.stderr
    assert opened == []
    assert not (tmp_path / "data").exists()
