"""Clients that open a stream and never read: each costs a buffer however long it is, holds up nobody, and is let go."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from api.local import listen
from runs.live import LiveRuns
from server import create_app
from settings import Settings
from tests.fakes.service import on_listener, opening, scripted

QUESTION = "How many days of paid leave?"
SENTENCE = f"Employees have {'very ' * 1_000}many days [1]. "
SENTENCES = 40
READERS = 3
BUFFERED = 64 * 1024
"""What uvicorn keeps for a connection before it lets its sender wait."""
SMALL = 8_192
"""Of the buffers of the system, so that little fills them."""


def stalled(port: int) -> socket.socket:
    """A client that has asked for a stream, and from then on takes nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    client.connect(("127.0.0.1", port))
    body = json.dumps({"question": QUESTION, "stream": True})
    head = f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    client.sendall(f"{head}\r\n\r\n{body}".encode())
    return client


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("still not after half a minute")


def waiting_in(server: uvicorn.Server) -> int:
    """Bytes that the server itself keeps for the connection that has most of them."""
    return max(link.transport.get_write_buffer_size() for link in server.server_state.connections)


@asynccontextmanager
async def long_winded() -> AsyncIterator[tuple[FastAPI, uvicorn.Server, int]]:
    """An app whose answers fill more than all buffers, its server, and the port."""
    app = create_app(Settings.model_construct(), opener=opening(scripted(answer=lambda _: [SENTENCE] * SENTENCES)))
    with listen("127.0.0.1", 0) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)
        async with on_listener(app, listener) as server:
            yield app, server, listener.getsockname()[1]


async def test_who_does_not_read_costs_a_buffer_and_holds_up_nobody() -> None:
    with ExitStack() as stack:
        async with long_winded() as (app, server, port):
            for _ in range(READERS):
                stack.enter_context(stalled(port))
            live: LiveRuns = app.state.live
            await until(lambda: len(live._runs) == READERS and all(run.ended for run in live._runs.values()))
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as quick:
                said = (await quick.post("/ask", json={"question": QUESTION})).json()
            assert len(said["answer"]) >= (len(SENTENCE) - 1) * SENTENCES
            assert [run._readers for run in live._runs.values()] == [1] * READERS + [0]
            assert waiting_in(server) < BUFFERED + 2 * len(SENTENCE)
            stack.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a connection whose other end takes nothing")
async def test_who_takes_nothing_for_long_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.local.STALLED_S", 1)
    async with long_winded() as (app, server, port):
        live: LiveRuns = app.state.live
        with stalled(port):
            await until(lambda: bool(live._runs))
            await until(lambda: not server.server_state.connections)
    (run,) = live._runs.values()
    assert (run.ended, run._readers) == (True, 0)
