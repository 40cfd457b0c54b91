"""`gapseek doctor` as a command: its page, its exit status, its JSON, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cli.main import app
from tests.fakes.chat_reply import Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.examined import KEY, healthy
from tests.fakes.misbehaviour import Misbehaviour

Run = Callable[..., Result]
ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "doctor.md"
FINDING = {"target", "step", "status", "sentence", "setting", "value", "seconds"}


@pytest.fixture
def run(endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command over a healthy endpoint, from an empty folder."""
    healthy(endpoint)
    monkeypatch.chdir(tmp_path)
    for name, value in settings_at(endpoint).items():
        monkeypatch.setenv(name, value)
    return lambda *words: CliRunner().invoke(app, ["doctor", *words])


def settings_at(endpoint: FakeEndpoint) -> dict[str, str]:
    chat = {"BASE_URL": endpoint.url, "API_KEY": KEY, "MODEL": "any", "RETRIES": "0"}
    return {f"GAPSEEK_CHAT__{name}": value for name, value in chat.items()}


def samples() -> list[str]:
    """The page's two outputs and its JSON."""
    return re.findall(r"```(?:text|json)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def told(result: Result) -> str:
    """The output as the page shows it, at an address that means nothing."""
    return re.sub(r"http://127\.0\.0\.1:\d+", "https://api.example.com", result.stdout)


def test_the_page_shows_what_is_printed(endpoint: FakeEndpoint, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint.misbehaviour = Misbehaviour(refuses=["json_schema", "stream_options"], thinks="tags")
    endpoint.embeddings.max_inputs = 10
    for name, value in {"BASE_URL": endpoint.url, "MODEL": "embed"}.items():
        monkeypatch.setenv(f"GAPSEEK_EMBEDDINGS__{name}", value)
    result = run()
    assert result.exit_code == 0
    assert samples()[0] == told(result), f"the page should show:\n{told(result)}"


def test_the_page_shows_a_fault(endpoint: FakeEndpoint, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint.always("answer", lambda body: Reply(status=404))
    endpoint.models = ["qwen2.5:7b", "llama3.1:8b"]
    monkeypatch.setenv("GAPSEEK_CHAT__MODEL", "qwen-2.5:7b")
    result = run("--only", "chat")
    assert result.exit_code == 1
    assert samples()[1] == told(result), f"the page should show:\n{told(result)}"


def test_the_page_shows_the_json(endpoint: FakeEndpoint, run: Run) -> None:
    endpoint.always("answer", lambda body: Reply(status=401))
    result = run("--only", "chat", "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    said: dict[str, Any] = json.loads(told(result))
    assert {key for finding in said["findings"] for key in finding} == FINDING
    shown = json.loads(samples()[2])
    failed = [finding for finding in said["findings"] if finding["status"] == "fail"]
    said = said | {"findings": [{**finding, "seconds": 0.01} for finding in failed]}
    assert shown == said, f"the page should show:\n{json.dumps(said, indent=2)}"


def test_json_tells_every_step_and_what_it_cost(endpoint: FakeEndpoint, run: Run) -> None:
    said = json.loads(run("--json").stdout)
    assert (said["schema"], said["answers"]) == (1, True)
    assert {finding["status"] for finding in said["findings"]} == {"ok"}
    assert {finding["target"] for finding in said["findings"]} == {
        "local",
        "chat",
        "small_chat",
        "embeddings",
        "reranker",
    }
    (spent,) = said["spent"]
    assert (spent["model"], spent["calls"], spent["estimated"]) == ("any", len(endpoint.calls), False)
    assert said["uses"]["chat"]["rung"] == "json_schema"


def test_one_target_alone(endpoint: FakeEndpoint, run: Run) -> None:
    result = run("--json", "--only", "reranker", "--only", "small_chat")
    assert [finding["target"] for finding in json.loads(result.stdout)["findings"]] == ["small_chat", "reranker"]
    assert endpoint.calls == []
    assert run("--only", "cellar").exit_code == 2


def test_a_pipe_gets_no_colour_and_no_progress(run: Run) -> None:
    result = run()
    assert "\x1b" not in result.stdout
    assert result.stderr == ""


def test_ctrl_c_ends_it_cleanly(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    endpoint.always("answer", lambda body: Reply(["late"], delay_s=60))
    environment = os.environ | settings_at(endpoint) | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "cli", "doctor", "--only", "chat"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not endpoint.calls and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "Stopped" in said
