"""The server as a process: one owns its data folder, and it is gone soon after it was told to stop."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from corpus.owner import owner_of

SERVE = "import uvicorn; uvicorn.run('server:app', factory=True, port=0, log_level='info')"
NO_MODEL = "from corpus.embeddings.e5 import E5Embedder; E5Embedder.load = lambda: None; "


@contextmanager
def server_on(folder: Path, **more: str) -> Iterator[subprocess.Popen[str]]:
    """A server over this folder that has no embedder, so that it starts fast."""
    with subprocess.Popen(
        [sys.executable, "-c", NO_MODEL + SERVE],
        env=os.environ | {"GAPSEEK_DATA": str(folder)} | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process: subprocess.Popen[str], mark: str) -> list[str]:
    """What it printed up to a line with this mark, or to its end."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if mark in line:
            break
    return lines


def test_a_second_server_is_refused_in_a_sentence_and_the_first_stops_when_told(tmp_path: Path) -> None:
    with server_on(tmp_path) as first:
        assert "Uvicorn running" in lines_until(first, "Uvicorn running")[-1]
        owner = owner_of(tmp_path)
        assert owner is not None
        assert owner.address is None
        with server_on(tmp_path) as second:
            said = "".join(lines_until(second, "never printed"))
            assert second.wait(10) != 0
        assert "in use by process" in said
        assert "Traceback" not in said
        first.send_signal(signal.SIGTERM)
        assert first.wait(5) in (0, -signal.SIGTERM)


def test_in_json_every_line_from_the_start_to_the_end_is_an_object(tmp_path: Path) -> None:
    with server_on(tmp_path, GAPSEEK_LOG="json") as server:
        running = lines_until(server, "Uvicorn running")
        port = running[-1].partition("127.0.0.1:")[2].partition(" ")[0]
        answer = httpx.get(f"http://127.0.0.1:{port}/ready?secret-marker=1")
        server.send_signal(signal.SIGTERM)
        lines = [*running, *lines_until(server, "never printed")]
    said = [json.loads(line) for line in lines if not line.startswith("INFO:")]  # before the app is made
    (request,) = (one for one in said if one["message"] == "request")
    assert (request["route"], request["status"]) == ("/ready", answer.status_code)
    assert request["request_id"] == answer.headers["x-request-id"]
    assert "secret-marker" not in "".join(lines)
    assert said[-1]["logger"] == "uvicorn.error"
