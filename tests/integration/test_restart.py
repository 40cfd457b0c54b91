"""Cases A5, A7 and A8: one process and many askers, a stop that is one, and threads that are the same after it."""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.client import Client
from api.keys import made_up
from cli.connection import served
from corpus.embeddings.e5 import E5Embedder
from settings import Endpoint, Settings
from tests.integration.test_serving import Shell

WITHOUT_MODEL = (
    "from corpus.embeddings.e5 import E5Embedder; E5Embedder.load = lambda: None; from cli.main import app; app()"
)
DOCUMENTS = [
    {"doc_id": "leave", "text": "Employees have 20 days of paid leave a year."},
    {"doc_id": "notice", "text": "The notice period is 3 months."},
]
QUESTION = "How many days of paid leave do employees have?"
ASKS = 30
SAME = ("answer", "status", "stop_reason", "relevance_score", "citations", "ledger", "missing", "conflicts")


class Life:
    """One life of a server: from its start until it was told to stop."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.http = httpx.Client(base_url=address, timeout=60)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return self.http.request(method, path, json=body).raise_for_status().json()

    def stopped(self, by: signal.Signals) -> str:
        """What it said until it was gone, within five seconds."""
        self.http.close()
        self.process.send_signal(by)
        said = self.process.communicate(timeout=5)[1]
        assert self.process.returncode == 0, said
        return str(said)


@contextmanager
def life(folder: Path) -> Iterator[Life]:
    """A `gapseek serve` over this folder, without an embedder so that it starts fast, under strict msgpack."""
    command = [sys.executable, "-c", WITHOUT_MODEL, "serve", "--port", "0", "--no-sample"]
    env = Shell(folder).env | {"LANGGRAPH_STRICT_MSGPACK": "true"}
    with subprocess.Popen(
        command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stderr is not None
            said = ""
            while not (found := re.search(r"Gapseek answers at (\S+);.*\n", said)):
                line = process.stderr.readline()
                assert line, f"it ended: {said}"
                said += line
            yield Life(process, found[1])
        finally:
            process.kill()


async def asked_together(address: str, count: int) -> list[httpx.Response]:
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        return await asyncio.gather(*(client.post("/ask", json={"question": QUESTION}) for _ in range(count)))


def test_many_ask_at_once_and_what_was_kept_is_the_same_after_a_restart(tmp_path: Path) -> None:
    with life(tmp_path) as first:
        first.call("POST", "/documents", {"documents": DOCUMENTS})
        with Shell(tmp_path).start("ask", QUESTION) as beside:
            said = asyncio.run(asked_together(str(first.http.base_url), ASKS))
            beside.communicate(timeout=60)
        # Case A5: a server and a command on one folder, and nobody hears of a lock.
        assert ([answer.status_code for answer in said], beside.returncode) == ([200] * ASKS, 0)
        replies = [answer.json() for answer in said]
        assert {reply["answer"] for reply in replies} == {replies[0]["answer"]}
        assert len({reply["thread_id"] for reply in replies}) == ASKS
        assert len(first.call("GET", "/threads?limit=100")["threads"]) == ASKS + 1

        threads = [f"/threads/{reply['thread_id']}" for reply in replies[:3]]
        kept = [first.call("GET", f"{thread}{part}") for thread in threads for part in ("", "/history")]
        middle = next(step for step in kept[1]["steps"] if step["node"] == "retrieve")
        replay = {"checkpoint_id": middle["checkpoint_id"]}
        replayed = first.call("POST", f"{threads[0]}/replay", replay)
        heard = first.stopped(signal.SIGINT)  # case A7
    with life(tmp_path) as second:
        # Case A8: nothing in a state was more than plain data.
        assert kept == [second.call("GET", f"{thread}{part}") for thread in threads for part in ("", "/history")]
        again = second.call("POST", f"{threads[0]}/replay", replay)
        assert (again["ran"], replayed["ran"]) == (["evaluate", "generate"],) * 2
        assert {name: again[name] for name in SAME} == {name: replayed[name] for name in SAME}
        heard += second.stopped(signal.SIGTERM)
    assert heard == ""


def test_no_thread_is_left_of_a_server_that_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case A7, seen from inside."""
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    none, key = Endpoint(), made_up()
    settings = Settings(chat=none, small_chat=none, embeddings=none, data=tmp_path, host="127.0.0.1", port=0)
    before = set(threading.enumerate())
    with served(settings, sample=False, key=key) as (address, _), Client.at(address, key) as client:
        client.call("POST", "/documents", {"documents": DOCUMENTS})
        said = client.call("POST", "/ask", {"question": QUESTION})
        assert "20 days" in said["answer"]
        assert set(threading.enumerate()) > before
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(5)  # for one that was told to end, and has not come to it yet
    assert not [thread for thread in left if thread.is_alive()]
