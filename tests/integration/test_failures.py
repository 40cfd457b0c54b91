"""Case A34: a failure after the first byte does not look like success, and nobody waits."""

import json
import sqlite3
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from httpx_sse import ServerSentEvent, aconnect_sse

from errors import Unavailable
from server import create_app
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import TEXTS, client_of, on_a_port, opening, scripted

ASK = {"question": "How many days of paid leave?"}
SECRET = "key sk-123 in /srv/alice/db.sqlite"


class FullDisk:
    """A saver that writes as many checkpoints as there is room for."""

    def __init__(self, saver: Any, room: int) -> None:
        aput = saver.aput
        left = [room]

        async def limited(*args: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise sqlite3.OperationalError(f"disk full: {SECRET}")
            return await aput(*args, **more)

        saver.aput = limited


def full_disk(room: int) -> Callable[[Any], Any]:
    def wrap(saver: Any) -> Any:
        FullDisk(saver, room)
        return saver

    return wrap


def app_of(reasoner: ScriptedReasoner | None = None, index: MemoryIndex | None = None, **options: Any) -> FastAPI:
    return create_app(Settings.model_construct(), opener=opening(reasoner, index, **options))


def stops_in_the_middle() -> FastAPI:
    pieces = ["Employees have [1]. ", "Twenty days [1]. ", "A year [1]. ", "More", ValueError(SECRET)]
    return app_of(scripted(answer=lambda request: pieces))


def stops_at_once() -> FastAPI:
    return app_of(ScriptedReasoner(route=[ValueError(SECRET)] * 2))


def cannot_write_a_step() -> FastAPI:
    return app_of(saver=full_disk(3))


def cannot_write_at_all() -> FastAPI:
    return app_of(saver=full_disk(0))


def model_is_down() -> FastAPI:
    return app_of(ScriptedReasoner(route=[Unavailable("The model does not answer.", code="model_down")] * 2))


def every_lane_is_lost() -> FastAPI:
    return app_of(index=MemoryIndex(TEXTS, broken=["keyword", "vector"]))


FAILING = [
    (stops_in_the_middle, 500, "internal"),
    (stops_at_once, 500, "internal"),
    (cannot_write_a_step, 500, "internal"),
    (cannot_write_at_all, 500, "internal"),
    (model_is_down, 503, "model_down"),
    (every_lane_is_lost, 503, "source_unavailable"),
]


async def streamed(app: FastAPI) -> list[ServerSentEvent]:
    async with client_of(app) as client, aconnect_sse(client, "POST", "/ask", json=ASK | {"stream": True}) as source:
        return [event async for event in source.aiter_sse()]


@pytest.mark.parametrize(("build", "status", "code"), FAILING)
async def test_a_stream_that_fails_says_so_once_and_then_ends(
    build: Callable[[], FastAPI], status: int, code: str
) -> None:
    events = await streamed(build())
    types = [event.event for event in events]
    assert types[0] == "run"
    assert types[-2:] == ["error", "done"]
    assert types.count("error") == types.count("done") == 1
    assert "answer" not in types
    assert json.loads(events[-2].data)["code"] == code
    assert json.loads(events[-1].data)["status"] == "failed"
    assert SECRET not in str([event.data for event in events])


async def test_after_the_last_event_of_a_failure_the_stream_is_closed() -> None:
    """Over a real socket, on a connection that would be kept alive: its body ends, and it takes the next request."""
    async with on_a_port(stops_in_the_middle()) as address, httpx.AsyncClient(base_url=address, timeout=20) as client:
        wire = (await client.post("/ask", json=ASK | {"stream": True})).text
        after = await client.get("/ready")
    frames = wire.split("\n\n")
    assert [frame.partition("\n")[0] for frame in frames[-3:]] == ["event: error", "event: done", ""]
    assert after.status_code == 200


@pytest.mark.parametrize(("build", "status", "code"), FAILING)
async def test_the_plain_reply_is_a_5xx(
    build: Callable[[], FastAPI], status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with client_of(build()) as client:
        answer = await client.post("/ask", json=ASK)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert SECRET not in answer.text + caplog.text


async def test_the_tokens_before_the_failure_were_sent() -> None:
    events = await streamed(stops_in_the_middle())
    assert [event.event for event in events].count("token") == 3


async def test_the_thread_of_a_failed_run_takes_the_next_question() -> None:
    answers = [["One [1]. ", ValueError(SECRET)], "Fine [1]."]
    async with client_of(app_of(scripted(answer=lambda request: answers.pop(0)))) as client:
        async with aconnect_sse(client, "POST", "/ask", json=ASK | {"stream": True}) as source:
            events = [event async for event in source.aiter_sse()]
        thread_id = json.loads(events[0].data)["thread_id"]
        failed = (await client.get(f"/threads/{thread_id}")).json()
        again = await client.post("/ask", json=ASK | {"thread_id": thread_id})
        shown = (await client.get(f"/threads/{thread_id}")).json()
    assert (failed["status"], failed["reply"], failed["turns"]) == ("failed", None, [])
    assert again.json()["answer"] == "Fine [1]."
    assert [turn["answer"] for turn in shown["turns"]] == ["Fine [1]."]
