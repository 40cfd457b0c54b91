"""Case A16: nothing but loopback is ever asked for, with an empty HOME and no caches; ingest, ask, stream and replay.

Twice over: an audit hook refuses and records what Python tries; a network namespace without a way out also stops what
native code tries, where the machine allows one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import endpoint as fake

ROOT = Path(__file__).parents[2]
GUARD = ROOT / "tests" / "fakes" / "offline"
NO_NAMESPACE = 77


class Guarded:
    """Runs Python with nothing of this machine's environment, and knows what it tried to reach."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.attempts = folder / "attempts"
        self.attempts.touch()

    def run(
        self, *command: str, within: tuple[str, ...] = (), models: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        env = {
            "HOME": str(home),
            "TMPDIR": str(home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{GUARD}{os.pathsep}{ROOT}",
            "ATTEMPTS": str(self.attempts),
            **(models or {}),
        }
        return subprocess.run(
            [*within, sys.executable, *command], cwd=self.folder, env=env, capture_output=True, text=True, timeout=300
        )

    def tried(self) -> list[str]:
        return self.attempts.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def guarded(tmp_path: Path) -> Guarded:
    return Guarded(tmp_path)


@pytest.mark.parametrize(
    ("attempt", "recorded"),
    [
        ("socket.create_connection(('192.0.2.1', 80))", "socket.getaddrinfo 192.0.2.1"),
        ("socket.socket().connect(('192.0.2.1', 80))", "socket.connect 192.0.2.1"),
        ("socket.getaddrinfo('example.invalid', 443)", "socket.getaddrinfo example.invalid"),
        ("socket.gethostbyname('example.invalid')", "socket.gethostbyname example.invalid"),
    ],
)
def test_the_guard_refuses_and_records(guarded: Guarded, attempt: str, recorded: str) -> None:
    result = guarded.run("-c", f"import socket; {attempt}")
    assert result.returncode == 1
    assert "no network in this test" in result.stderr
    assert guarded.tried() == [recorded]


def test_the_guard_lets_loopback_through(guarded: Guarded) -> None:
    here = "import socket; here = socket.create_server(('127.0.0.1', 0))"
    result = guarded.run("-c", f"{here}; socket.create_connection(here.getsockname())")
    assert (result.returncode, guarded.tried()) == (0, [])


def test_the_whole_demo_asks_for_no_other_host(guarded: Guarded) -> None:
    result = guarded.run("-m", "cli", "demo")
    assert result.returncode == 0, result.stderr
    assert "Ran anew: " in result.stdout
    assert guarded.tried() == []


def test_the_whole_demo_runs_where_there_is_no_way_out(guarded: Guarded) -> None:
    result = guarded.run("-m", "cli", "demo", within=(str(ROOT / ".ci" / "without-network"), sys.executable))
    if result.returncode == NO_NAMESPACE:
        pytest.skip("this machine allows no network namespace")
    assert result.returncode == 0, result.stderr
    assert guarded.tried() == []


def test_with_a_model_only_its_own_endpoint_is_asked(guarded: Guarded) -> None:
    (guarded.folder / "rules.md").write_text("# Lift\n\nThe owner pays for the repair of the lift.\n", encoding="utf-8")
    quote = "The owner pays for the repair of the lift."
    grade = {"passage": 1, "sub_question": 1, "reason": "says so", "quote": quote, "band": "direct", "score": 0.95}
    with fake.serve() as endpoint:
        endpoint.script("route", {"reason": "a fact", "need_retrieval": True, "standalone": "Who pays for the lift?"})
        endpoint.script("rewrite", {"reason": "", "sub_questions": [], "queries": []})
        endpoint.script("grade", {"reason": "one fits", "grades": [grade], "contradictions": []})
        endpoint.script("answer", ["The owner ", "pays [1]."])
        models = {
            f"GAPSEEK_{use}__{name}": value
            for use in ("CHAT", "EMBEDDINGS")
            for name, value in {"BASE_URL": endpoint.url, "MODEL": "any", "API_KEY": "any"}.items()
        }
        ingested = guarded.run("-m", "cli", "ingest", "rules.md", models=models)
        asked = guarded.run("-m", "cli", "ask", "--json", "Who pays for the lift?", models=models)
    assert ingested.returncode == 0, ingested.stderr
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["answer"] == "The owner pays [1]."
    assert endpoint.failures == []
    assert guarded.tried() == []
