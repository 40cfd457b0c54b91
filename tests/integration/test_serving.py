"""A real `gapseek serve` in a process of its own, and every other command going through it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HANDBOOK = "# 休假\n\n员工每年有二十天带薪年假。\n\n# 离职\n\n试用期内离职应当提前三天通知。\n"


@dataclass(frozen=True)
class Shell:
    """Runs `gapseek` in a folder of its own, with nothing of this machine's environment but what Python needs; what a
    server would tell of each request is left out."""

    folder: Path

    @property
    def env(self) -> dict[str, str]:
        quiet = {"GAPSEEK_LOG_LEVEL": "warning"}
        return {"HOME": str(self.folder), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | quiet

    def start(self, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cli", *command],
            cwd=self.folder,
            env=self.env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *command: str, status: int = 0) -> tuple[str, str]:
        with self.start(*command) as process:
            out, err = process.communicate(timeout=120)
        assert process.returncode == status, err
        return out, err

    def json(self, *command: str) -> Any:
        return json.loads(self.run(*command, "--json")[0])


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("serving")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    return Shell(folder)


@pytest.fixture(scope="module")
def server(shell: Shell) -> Iterator[subprocess.Popen[str]]:
    """The server, once it says that it answers."""
    with shell.start("serve", "--port", "0", "--no-sample") as process:
        assert process.stderr is not None
        assert re.match(r"Gapseek answers at http://127\.0\.0\.1:\d+;", process.stderr.readline())
        yield process
        process.kill()


@pytest.mark.usefixtures("server")
def test_the_commands_go_through_the_running_server(shell: Shell) -> None:
    assert shell.run("ingest", "handbook.md")[0].startswith("1 added")
    assert shell.run("ingest", "handbook.md")[0] == "0 added, 0 updated, 1 unchanged, 0 failed\n"
    assert shell.json("search", "带薪年假")["hits"][0]["doc_id"] == "handbook.md"

    first = shell.json("ask", "带薪年假有几天？")
    assert first["status"] == "answered"
    assert "二十天" in first["citations"][0]["quote"]
    steps = shell.json("history", first["thread_id"])["steps"]
    assert [step["node"] for step in steps][-1] == "generate"

    evaluated = next(step for step in steps if step["node"] == "retrieve")
    again = shell.json("replay", first["thread_id"], evaluated["checkpoint_id"])
    assert (again["ran"], again["answer"]) == (["evaluate", "generate"], first["answer"])
    assert again["thread_id"] != first["thread_id"]
    assert shell.json("history", first["thread_id"])["steps"] == steps

    follow_up = shell.run("ask", "离职要提前几天通知？", "--thread", first["thread_id"])
    assert "应当提前三天通知[1]" in follow_up[0]
    assert first["thread_id"] in follow_up[1]


@pytest.mark.usefixtures("server")
def test_a_second_server_is_refused_in_one_sentence(shell: Shell) -> None:
    out, err = shell.run("serve", "--port", "0", status=2)
    assert out == ""
    assert re.fullmatch(r"gapseek: The data folder is in use by .+\.\n", err)


@pytest.mark.usefixtures("server")
def test_a_running_server_is_backed_up_and_the_copy_serves_elsewhere(shell: Shell) -> None:
    assert shell.run("documents", "set", "handbook.md", "year=2024")[1] == ""
    assert shell.run("backup", "copy.zip")[0].startswith("copy.zip: schema ")
    for command in (("restore", "copy.zip", "--force"), ("reindex",)):
        assert re.fullmatch(r"gapseek: The data folder is in use by .+\.\n", shell.run(*command, status=2)[1])
    shell.run("restore", "copy.zip", "--data", "elsewhere")
    assert shell.json("documents", "show", "handbook.md", "--data", "elsewhere")["layers"]["set"] == {"year": 2024}
    assert shell.json("search", "带薪年假", "--data", "elsewhere")["hits"][0]["doc_id"] == "handbook.md"


def test_sigterm_ends_the_server_soon_and_frees_the_folder(shell: Shell, server: subprocess.Popen[str]) -> None:
    asked = time.monotonic()
    server.send_signal(signal.SIGTERM)
    out, err = server.communicate(timeout=30)
    assert (server.returncode, out, err) == (0, "", "")
    assert time.monotonic() - asked < 5
    assert shell.json("search", "带薪年假")["hits"][0]["doc_id"] == "handbook.md"
