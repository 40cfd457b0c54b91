"""The wire as bytes, over real sockets: cases A36 to A38, pings, and what proxies need."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from itertools import cycle
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi import FastAPI
from httpx_sse import aconnect_sse
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from context.reasoning import GradeRequest, Rewrite, RewriteRequest, Route, RouteRequest
from context.retrieval import Passage
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import LLMReasoner
from server import create_app
from settings import Settings
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.index import MemoryIndex
from tests.fakes.modelled import QUESTION, knows_the_answer
from tests.fakes.service import grading, on_a_port, opening, scripted

ASK = {"question": "How many days of paid leave?"}
NASTY = (
    "| a | b |\n|---|---|\n| 1 | 2 [1] |\n\n```python\nprint('x')  # [1]\n```\r\n"
    "A lone \r return [1]. A \u2028 separator, a \u2029 one, a \u0085 one [1].\n"
    "  Leading spaces [1].\ndata: x [1].\nevent: end\n\nid: 7 [1].\n: ping [1].\n"
    "Family 👨‍👩‍👧 and 电梯维修费由谁承担 [1]。\x0b\x0c\x1c\x1d\x1e \ufeff end [1]."
)
"""Every character at which some reader ends a line, and every line that a reader of events could take for its own."""
PIECES = ("```python\nprint('x')", "\u2028", "\r", "  Leading", "data: x", "event: end", "👨‍👩‍👧", "电梯维修费")


def app_saying(text: str) -> FastAPI:
    return create_app(Settings.model_construct(), opener=opening(scripted(answer=lambda request: text)))


@asynccontextmanager
async def in_pieces(address: str, *sizes: int) -> AsyncIterator[str]:
    """A relay that passes on what the server says in pieces of these sizes by turns: of one byte each, every character
    is split somewhere."""
    target = urlsplit(address)
    relaying = set[asyncio.Task[None]]()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        relaying.add(cast("asyncio.Task[None]", asyncio.current_task()))
        up_reader, up_writer = await asyncio.open_connection(target.hostname, target.port)
        passing = {asyncio.create_task(passed(reader, up_writer, 4_096))}
        passing.add(asyncio.create_task(passed(up_reader, writer, *sizes)))
        try:
            await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in passing:
                one.cancel()
            await asyncio.gather(*passing, return_exceptions=True)
            for end in (writer, up_writer):
                end.close()

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as server:
        try:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            for task in relaying:
                task.cancel()
            await asyncio.gather(*relaying, return_exceptions=True)
            await asyncio.sleep(0)  # in which what was closed is let go


async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *sizes: int) -> None:
    turn = cycle(sizes)
    while data := await reader.read(next(turn)):
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0)


async def raw(address: str, body: dict[str, Any]) -> tuple[httpx.Response, bytes]:
    async with httpx.AsyncClient(timeout=30) as client, client.stream("POST", f"{address}/ask", json=body) as answer:
        return answer, b"".join([chunk async for chunk in answer.aiter_raw()])


@pytest.mark.parametrize("sizes", [(1,), (7, 1, 300, 2)])
async def test_joined_tokens_are_the_plain_answer_byte_for_byte(sizes: tuple[int, ...]) -> None:
    """Case A37."""
    async with on_a_port(app_saying(NASTY)) as address, httpx.AsyncClient(timeout=30) as client:
        plain = (await client.post(f"{address}/ask", json=ASK)).json()
        async with (
            in_pieces(address, *sizes) as relayed,
            aconnect_sse(client, "POST", f"{relayed}/ask", json=ASK | {"stream": True}) as source,
        ):
            events = [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]
    joined = "".join(data["text"] for event, data in events if event == "token")
    assert joined.encode() == plain["answer"].encode()
    assert next(data for event, data in events if event == "answer")["answer"] == plain["answer"]
    assert [piece for piece in PIECES if piece not in joined] == []


async def test_a_models_pieces_may_be_split_anywhere_too(endpoint: FakeEndpoint) -> None:
    """Case A37, from the model to the client."""
    knows_the_answer(endpoint)
    endpoint.always("answer", lambda body: [NASTY[place : place + 9] for place in range(0, len(NASTY), 9)])
    async with (
        in_pieces(endpoint.url.removesuffix("/v1"), 1) as relayed,
        aclosing(LLMReasoner(ChatEndpoint("any", f"{relayed}/v1"))) as reasoner,
        on_a_port(create_app(Settings.model_construct(), opener=opening(reasoner))) as address,
        httpx.AsyncClient(base_url=address, timeout=30) as client,
    ):
        plain = (await client.post("/ask", json={"question": QUESTION})).json()["answer"]
        async with aconnect_sse(client, "POST", "/ask", json={"question": QUESTION, "stream": True}) as source:
            events = [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]
    assert "".join(data["text"] for event, data in events if event == "token") == plain
    assert [piece for piece in PIECES if piece not in plain] == []


async def test_the_frames_have_exactly_this_form() -> None:
    """Case A36, the headers."""
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


async def test_models_that_stream_inside_a_node_are_not_heard_outside() -> None:
    """Case A38, with LangChain's own streaming under route, rewrite and grade, where LangGraph listens for it."""

    async def muses(inner: str) -> None:
        said = [piece.text async for piece in GenericFakeChatModel(messages=iter([AIMessage(inner)])).astream("?")]
        assert len(said) > 1

    async def route(request: RouteRequest) -> Route:
        await muses('{"need_retrieval": true, "marker": "INNER route"}')
        return Route(True, "a fact", request.question)

    async def rewrite(request: RewriteRequest) -> Rewrite:
        await muses('{"queries": ["INNER rewrite"]}')
        return Rewrite(((request.question, True),), ())

    async def grade(request: GradeRequest) -> Any:
        await muses('{"score": 0.95, "reason": "INNER grade"}')
        return grading(0.95)(request)

    app = create_app(Settings.model_construct(), opener=opening(scripted(route=route, rewrite=rewrite, grade=grade)))
    async with on_a_port(app) as address:
        _, wire = await raw(address, ASK | {"stream": True})
    events = [frame.split("\n") for frame in wire.decode().split("\n\n")[:-1]]
    tokens = [json.loads(data.removeprefix("data: "))["text"] for event, data, _ in events if event == "event: token"]
    assert "".join(tokens) == "Employees have 20 days of paid leave a year [1]."
    assert b"INNER" not in wire


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
