"""Cases A33, A35 and A36: streams through a real nginx before a real uvicorn."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI
from httpx_sse import aconnect_sse

from api.sse import PING_S
from context.retrieval import Passage
from corpus.searcher import Searcher
from server import create_app
from settings import Settings
from tests.fakes.chat_reply import Reply
from tests.fakes.default_nginx import DEFAULT_READ_TIMEOUT_S, needs_nginx, nginx_before
from tests.fakes.embedder import HashEmbedder
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.index import MemoryIndex
from tests.fakes.modelled import DOCUMENT, QUESTION, knows_the_answer, modelled
from tests.fakes.service import TEXTS, on_a_port, opening, opening_index, scripted

pytestmark = needs_nginx

ASK = {"question": QUESTION, "stream": True}
CLIENT = """
import socket, sys
host, port, body = sys.argv[1:]
with socket.create_connection((host, int(port))) as server:
    head = f"POST /ask HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nContent-Type: application/json\\r\\n"
    server.sendall(f"{head}Content-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
    while server.recv(4096):
        pass
"""
ANSWER = "They have 20 days [1]."
QUIET_S = 2.5
"""Longer than the second after which the nginx of these tests cuts a quiet stream."""


@asynccontextmanager
async def proxied(app: FastAPI, folder: Path, **nginx: str) -> AsyncIterator[tuple[str, httpx.AsyncClient]]:
    """The address of an nginx before the app, and a client that goes past it, to look on."""
    (folder / "nginx").mkdir()
    async with on_a_port(app) as address, httpx.AsyncClient(base_url=address, timeout=30) as client:
        await client.post("/documents", json={"documents": [DOCUMENT]})
        with nginx_before(address, folder / "nginx", **nginx) as outside:
            yield outside, client


async def until(holds: Callable[[], bool], seconds: float) -> None:
    for _ in range(round(seconds * 100)):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"still not after {seconds} s")


async def shown(client: httpx.AsyncClient, address: str) -> dict[str, Any]:
    return dict((await client.get(address)).raise_for_status().json())


async def streamed(address: str) -> tuple[list[str], str]:
    """The raw lines of an ask's stream, and the answer that was in it."""
    async with (
        httpx.AsyncClient(timeout=QUIET_S * 60) as client,
        client.stream("POST", f"{address}/ask", json=ASK) as answer,
    ):
        lines = [line async for line in answer.aiter_lines()]
    place = lines.index("event: answer")
    return lines, str(json.loads(lines[place + 1].removeprefix("data: "))["answer"])


@pytest.mark.parametrize(
    ("kind", "slow"),
    [("grade", Reply(delay_s=60)), ("answer", Reply(["They ", "have"], piece_delay_s=60))],
)
async def test_a_client_that_is_killed_ends_its_run_and_the_call_it_waited_for(
    endpoint: FakeEndpoint, tmp_path: Path, kind: Any, slow: Reply
) -> None:
    """Case A33."""
    knows_the_answer(endpoint)
    endpoint.script(kind, slow)
    app = create_app(modelled(endpoint, tmp_path), sample=False)
    async with proxied(app, tmp_path) as (outside, client):
        place = urlsplit(outside)
        command = [sys.executable, "-c", CLIENT, str(place.hostname), str(place.port), json.dumps(ASK)]
        viewer = await asyncio.create_subprocess_exec(*command)
        await until(lambda: bool(endpoint.of(kind)), 20)
        await asyncio.sleep(1)
        viewer.kill()
        await viewer.wait()
        calls = len(endpoint.calls)
        await until(lambda: endpoint.abandoned == 1, 2)
        (thread,) = (await shown(client, "/threads"))["threads"]
        address = f"/threads/{thread['thread_id']}"
        left = await shown(client, address)
        assert (left["running"], left["status"]) == (None, "cancelled")
        steps = (await shown(client, f"{address}/history"))["steps"]
        assert [step["node"] for step in steps][-1] == {"grade": "retrieve", "answer": "evaluate"}[kind]
        assert len(endpoint.calls) == calls
        again = await client.post("/ask", json={"question": QUESTION, "thread_id": thread["thread_id"]})
        assert (again.status_code, again.json()["answer"]) == (200, ANSWER)


def test_the_longest_silence_is_far_from_what_proxies_bear() -> None:
    """Case A35, by the figures that hold where no test changes them."""
    assert PING_S <= 15 < DEFAULT_READ_TIMEOUT_S


@pytest.mark.parametrize(("ping_s", "arrives"), [(0.25, True), (30.0, False)])
async def test_a_quiet_model_is_waited_for_because_of_the_pings(
    endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ping_s: float, arrives: bool
) -> None:
    """Case A35, with everything but the answer's silence sixty times as fast."""
    monkeypatch.setattr("api.sse.PING_S", ping_s)
    knows_the_answer(endpoint)
    endpoint.script("answer", Reply([ANSWER], delay_s=QUIET_S))
    app = create_app(modelled(endpoint, tmp_path), sample=False)
    async with proxied(app, tmp_path, location="proxy_read_timeout 1s;") as (outside, _):
        if arrives:
            lines, said = await streamed(outside)
            assert (lines.count(": ping") >= 2, said) == (True, ANSWER)
        else:
            with pytest.raises(httpx.RemoteProtocolError):
                await streamed(outside)


async def test_code_that_blocks_does_not_hold_the_pings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case A35, where a node works on the processor and waits for nothing, as a search of many chunks does."""
    by_keyword = Searcher._by_keyword

    def slow(self: Searcher, search: Any) -> Any:
        time.sleep(QUIET_S)
        return by_keyword(self, search)

    monkeypatch.setattr("api.sse.PING_S", 0.25)
    monkeypatch.setattr(Searcher, "_by_keyword", slow)
    monkeypatch.setattr("corpus.pending.SMALL", 0)
    opener = opening_index(tmp_path, lambda index: scripted(), HashEmbedder())
    app = create_app(Settings.model_construct(data=tmp_path), opener=opener)
    async with proxied(app, tmp_path, location="proxy_read_timeout 1s;") as (outside, _):
        lines, said = await streamed(outside)
    assert lines.count(": ping") >= 2
    assert said == f"{DOCUMENT['text'][:-1]} [1]."


@pytest.mark.slow
async def test_ninety_quiet_seconds_with_the_defaults_of_nginx(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    """Case A35 to the letter."""
    knows_the_answer(endpoint)
    endpoint.script("answer", Reply([ANSWER], delay_s=90))
    settings = modelled(endpoint, tmp_path, timeout_s=120, deadline_s=180)
    async with proxied(create_app(settings, sample=False), tmp_path) as (outside, _):
        began = time.monotonic()
        lines, said = await streamed(outside)
    print(f"{time.monotonic() - began:.0f} s, {lines.count(': ping')} pings: {said}")  # noqa: T201  # for whoever asked
    assert lines.count(": ping") >= 90 // 15 - 1
    assert said == ANSWER


@pytest.mark.parametrize(
    ("http", "encoding"),
    [("", None), ("gzip on; gzip_min_length 0; gzip_types text/event-stream;", "gzip")],
    ids=["defaults", "gzip"],
)
async def test_the_first_node_is_told_before_the_last_one_ends(tmp_path: Path, http: str, encoding: str | None) -> None:
    """Case A36: the buffers of nginx are on, and it may even pack the stream."""
    seen = asyncio.Event()

    class Waiting(MemoryIndex):
        async def read(self, chunk_ids: Any, principal: Any) -> dict[str, Passage]:
            await seen.wait()
            return await super().read(chunk_ids, principal)

    app = create_app(Settings.model_construct(), opener=opening(index=Waiting(TEXTS)))
    async with (
        proxied(app, tmp_path, http=http) as (outside, _),
        httpx.AsyncClient(timeout=30, headers={"Accept-Encoding": "gzip"}) as client,
        aconnect_sse(client, "POST", f"{outside}/ask", json=ASK) as source,
    ):
        events = []
        async for event in source.aiter_sse():
            events.append(event.event)
            if event.event == "node":
                seen.set()
        headers = source.response.headers
    assert events[-1] == "done"
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert headers.get("content-encoding") == encoding
