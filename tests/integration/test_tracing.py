"""LangSmith by its own variables, and only where this deployment says so: else the environment alone sends nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.fakes.endpoint import FakeEndpoint

ROOT = Path(__file__).parents[2]
ASK = """
import asyncio, sys
from langchain_core.tracers.langchain import wait_for_all_tracers
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import LLMReasoner
from runs.ask import Ask, ask
from runs.stream import answered
from tests.fakes.service import ALICE, engine_over

async def main():
    reasoner = LLMReasoner(ChatEndpoint("gpt-4o", sys.argv[1]))
    async with engine_over(reasoner, tracing=sys.argv[2] == "on") as engine:
        print((await answered(ask(engine, ALICE, Ask("hi"))))["status"])
    await reasoner.aclose()

asyncio.run(main())
wait_for_all_tracers()
"""


@contextmanager
def langsmith() -> Iterator[tuple[str, list[bytes]]]:
    """An address that takes what LangSmith's client sends, and all that came."""
    bodies: list[bytes] = []

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers.get("content-length", 0))))
            self._say()

        def do_GET(self) -> None:
            self._say()

        def _say(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Taking) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", bodies
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    ("setting", "variable", "traced"), [("on", "true", True), ("off", "true", False), ("on", "false", False)]
)
def test_a_run_is_traced_where_both_say_so(endpoint: FakeEndpoint, setting: str, variable: str, traced: bool) -> None:
    endpoint.always("route", lambda body: {"reason": "greeting", "need_retrieval": False, "standalone": "hi"})
    endpoint.always("answer", lambda body: ["Hello MARKER."])
    with langsmith() as (address, bodies):
        own = {"LANGSMITH_TRACING": variable, "LANGSMITH_ENDPOINT": address, "LANGSMITH_API_KEY": "lsv2_none"}
        done = subprocess.run(
            [sys.executable, "-c", ASK, endpoint.url, setting],
            env=os.environ | own | {"LANGSMITH_DISABLE_RUN_COMPRESSION": "true"},
            cwd=ROOT,
            timeout=120,
            capture_output=True,
            text=True,
        )
    assert done.stdout == "answered\n", done.stderr
    sent = b"".join(bodies)
    assert bool(bodies) == traced
    assert all((name in sent) == traced for name in (b"MARKER", b"generate", b"CompatibleChat"))
