"""The wire as bytes, over real sockets: cases A37 and A38, pings, and what proxies need."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI
from httpx_sse import aconnect_sse

from context.retrieval import Passage
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import grading, on_a_port, opening, scripted

ASK = {"question": "How many days of paid leave?"}
NASTY = (
    "| a | b |\n|---|---|\n| 1 | 2 [1] |\n\n```python\nprint('x')  # [1]\n```\r\n"
    "A lone \r return [1]. A \u2028 separator, a \u2029 one, a \u0085 one [1].\n"
    "  Leading spaces [1].\ndata: x [1].\nevent: end\n\nid: 7 [1].\n: ping [1].\n"
    "Family 👨‍👩‍👧 and 电梯维修费由谁承担 [1]。\x0b\x0c\x1c \ufeff end [1]."
)


def app_saying(text: str) -> FastAPI:
    return create_app(Settings.model_construct(), opener=opening(scripted(answer=lambda request: text)))


@asynccontextmanager
async def byte_by_byte(address: str) -> AsyncIterator[str]:
    """A relay that passes on what the server says one byte at a time, so that every character is split somewhere."""
    target = urlsplit(address)

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(target.hostname, target.port)

        async def upwards() -> None:
            while data := await reader.read(4_096):
                up_writer.write(data)

        asking = asyncio.create_task(upwards())
        while data := await up_reader.read(4_096):
            for byte in data:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0)
        asking.cancel()
        for one in (writer, up_writer):
            one.close()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def raw(address: str, body: dict[str, Any]) -> tuple[httpx.Response, bytes]:
    async with httpx.AsyncClient(timeout=30) as client, client.stream("POST", f"{address}/ask", json=body) as answer:
        return answer, b"".join([chunk async for chunk in answer.aiter_raw()])


async def test_joined_tokens_are_the_plain_answer_byte_for_byte() -> None:
    async with on_a_port(app_saying(NASTY)) as address, httpx.AsyncClient(timeout=30) as client:
        plain = (await client.post(f"{address}/ask", json=ASK)).json()
        async with (
            byte_by_byte(address) as relayed,
            aconnect_sse(client, "POST", f"{relayed}/ask", json=ASK | {"stream": True}) as source,
        ):
            events = [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]
    joined = "".join(data["text"] for event, data in events if event == "token")
    assert joined.encode() == plain["answer"].encode()
    assert next(data for event, data in events if event == "answer")["answer"] == plain["answer"]
    pieces = ("```python\nprint('x')", "\u2028", "\r", "  Leading", "data: x", "event: end", "👨‍👩‍👧", "电梯维修费")
    assert [piece for piece in pieces if piece not in joined] == []


async def test_the_frames_have_exactly_this_form() -> None:
    async with on_a_port(app_saying(NASTY)) as address:
        answer, wire = await raw(address, ASK | {"stream": True})
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in answer.headers
    frames = wire.split(b"\n\n")
    assert frames.pop() == b""
    form = re.compile(rb"event: (run|node|token|answer|done)\ndata: (\{[^\r\n]*\})\nid: ([0-9]+)")
    matches = [form.fullmatch(frame) for frame in frames]
    assert all(matches)
    ids = [int(match[3]) for match in matches if match]
    assert ids == list(range(1, len(ids) + 1))
    assert all(len(match[2].decode().splitlines()) == 1 for match in matches if match)


async def test_inner_thoughts_never_reach_the_answer_stream() -> None:
    """Case A38: what route, rewrite and grade produce is in their own events and in no token."""
    secret = '{"need_retrieval": true, "marker": "INNER"}'

    def grade(request: Any) -> Any:
        return tuple(
            type(one)(one.sub_question_id, one.chunk_id, one.quote, secret, one.band, one.score)
            for one in grading(0.95)(request)
        )

    reasoner = scripted(grade=grade)
    async with (
        on_a_port(create_app(Settings.model_construct(), opener=opening(reasoner))) as address,
        httpx.AsyncClient() as client,
        aconnect_sse(client, "POST", f"{address}/ask", json=ASK | {"stream": True}) as source,
    ):
        events = [(event.event, event.data) async for event in source.aiter_sse()]
    assert "INNER" not in "".join(data for event, data in events if event == "token")
    assert {event for event, data in events if "INNER" in data} == {"answer"}  # as the reason of a grade in the ledger


async def test_a_node_at_work_is_pinged_and_the_first_event_comes_before_the_last_node_ends(monkeypatch: Any) -> None:
    monkeypatch.setattr("api.sse.PING_S", 0.02)
    seen = asyncio.Event()

    class Slow(MemoryIndex):
        async def read(self, chunk_ids: Any, principal: Any) -> dict[str, Passage]:
            await seen.wait()
            return await super().read(chunk_ids, principal)

    app = create_app(Settings.model_construct(), opener=opening(index=Slow({"leave": "20 days of paid leave"})))
    async with (
        on_a_port(app) as address,
        httpx.AsyncClient(timeout=30) as client,
        client.stream("POST", f"{address}/ask", json=ASK | {"stream": True}) as answer,
    ):
        wire = b""
        async for chunk in answer.aiter_raw():
            wire += chunk
            if wire.partition(b'"name":"route"')[2].count(b": ping\n\n") >= 2:
                seen.set()
    assert wire.index(b'"name":"route"') < wire.rindex(b": ping\n\n") < wire.index(b"event: answer")


@pytest.mark.parametrize("path", ["/nowhere", "/threads/x"])
async def test_errors_have_their_own_type_on_the_wire(path: str) -> None:
    async with on_a_port(app_saying("x")) as address, httpx.AsyncClient() as client:
        answer = await client.get(f"{address}{path}")
    assert answer.headers["content-type"] == "application/problem+json"
