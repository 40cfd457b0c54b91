from __future__ import annotations

from functools import partial

import pytest

import server
from runs.engine import MODES
from server import create_app
from tests.fakes.index import MemoryIndex
from tests.fakes.service import TEXTS, opening, scripted
from tests.unit.cli.test_commands import Run, index, run, said

__all__ = ["index", "run"]


def test_the_modes_are_listed_with_what_can_be_used_here(run: Run, index: MemoryIndex) -> None:
    index.embedder_name = None
    listed = run(["modes"])
    lines = {line.split()[0]: line for line in listed.stdout.splitlines()[1:]}
    assert listed.exit_code == 0
    assert list(lines) == ["bm25", "naive", *MODES[2:], "agent"]
    assert [name for name, line in lines.items() if line.split()[1] == "no"] == ["naive", "agent"]
    assert lines["loop"].split()[1:3] == ["default", "4"]
    assert "only keywords are searched" in lines["hybrid"]


def test_as_json_they_are_the_page_itself(run: Run) -> None:
    assert [mode["mode"] for mode in said(run(["modes", "--json"]))["modes"]] == [*MODES, "agent"]


def test_an_ask_says_in_which_mode_it_was_answered(run: Run) -> None:
    asked = run(["ask", "How many days of paid leave?", "--mode", "bm25"])
    assert (asked.exit_code, "· mode bm25 ·" in asked.stderr) == (0, True)


def test_a_default_mode_that_cannot_search_here_is_one_sentence(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    without = opening(scripted(), MemoryIndex(TEXTS, vector=False))
    monkeypatch.setattr(server, "create_app", partial(create_app, opener=without))
    monkeypatch.setenv("GAPSEEK_MODE", "naive")
    refused = run(["ask", "How many days of paid leave?"])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith("gapseek: The mode 'naive' cannot be used here.")
