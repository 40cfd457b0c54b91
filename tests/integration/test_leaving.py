"""A client that leaves cancels its run, over real sockets: no further node, the thread free and readable."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from httpx_sse import aconnect_sse

from context.reasoning import ProposedQuery, Rewrite, RewriteRequest, Route
from server import create_app
from settings import Settings
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import on_a_port, opening, scripted

QUESTION = "How many days of paid leave?"


class Halting:
    """A reasoner whose first rewrite never comes back; it says when that was reached and when it was cancelled."""

    def __init__(self) -> None:
        self.reached, self.cancelled = asyncio.Event(), asyncio.Event()
        self.reasoner = scripted(rewrite=self._rewrite)

    async def _rewrite(self, request: RewriteRequest) -> Rewrite:
        if not self.reached.is_set():
            self.reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.set()
        return Rewrite(((request.question, True),), (ProposedQuery("paid leave", 1),))


@asynccontextmanager
async def halting() -> AsyncIterator[tuple[Halting, httpx.AsyncClient, Any]]:
    halt = Halting()
    app = create_app(Settings.model_construct(), opener=opening(halt.reasoner))
    async with on_a_port(app) as address, httpx.AsyncClient(base_url=address, timeout=10) as client:
        yield halt, client, app


async def shown_idle(client: httpx.AsyncClient, thread_id: str) -> dict[str, Any]:
    """The thread as soon as no run holds it, within two seconds."""
    for _ in range(200):
        shown = dict((await client.get(f"/threads/{thread_id}")).json())
        if not shown["running"]:
            return shown
        await asyncio.sleep(0.01)
    raise AssertionError("the run still holds its thread")


async def is_free_and_goes_on(halt: Halting, client: httpx.AsyncClient, thread_id: str) -> None:
    """No further node ran, the thread says that it was left, and takes the next question."""
    await asyncio.wait_for(halt.cancelled.wait(), 2)
    assert halt.reasoner.calls == ["route", "rewrite"]
    shown = await shown_idle(client, thread_id)
    assert (shown["status"], shown["stop_reason"]) == ("cancelled", "cancelled")
    steps = (await client.get(f"/threads/{thread_id}/history")).json()["steps"]
    assert [step["node"] for step in steps] == ["start", "route"]
    again = await client.post("/ask", json={"question": QUESTION, "thread_id": thread_id})
    assert (again.status_code, again.json()["status"]) == (200, "answered")


async def test_leaving_a_stream() -> None:
    async with halting() as (halt, client, _):
        body = {"question": QUESTION, "stream": True}
        async with aconnect_sse(client, "POST", "/ask", json=body) as source:
            events = source.aiter_sse()
            first = await anext(events)
            await halt.reached.wait()
        await is_free_and_goes_on(halt, client, json.loads(first.data)["thread_id"])


async def test_leaving_a_plain_request() -> None:
    async with halting() as (halt, client, app):
        asking = asyncio.create_task(client.post("/ask", json={"question": QUESTION}))
        await halt.reached.wait()
        (thread_id,) = app.state.engine.locks._running
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await is_free_and_goes_on(halt, client, thread_id)


async def test_leaving_in_the_middle_of_the_answer() -> None:
    cancelled = asyncio.Event()

    async def answer(request: Any) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    said = ["Hello.", answer]
    reasoner = ScriptedReasoner(route=lambda request: Route(False, "greeting", "hi"), answer=said)
    app = create_app(Settings.model_construct(), opener=opening(reasoner))
    async with on_a_port(app) as address, httpx.AsyncClient(base_url=address, timeout=10) as client:
        first = (await client.post("/ask", json={"question": "hi"})).json()
        body = {"question": "hi", "thread_id": first["thread_id"], "stream": True}
        async with aconnect_sse(client, "POST", "/ask", json=body) as source:
            async for event in source.aiter_sse():
                if event.event == "node" and json.loads(event.data)["name"] == "generate":
                    break
        await asyncio.wait_for(cancelled.wait(), 2)
        kept = await shown_idle(client, first["thread_id"])
    assert [turn["answer"] for turn in kept["turns"]] == ["Hello."]
