import asyncio
import json
from typing import Any

from httpx_sse import aconnect_sse

from api.schemas.replies import History, ReplayReply, Thread
from context.reasoning import Route
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import scripted, serving

ASK = {"question": "How many days of paid leave?"}


async def test_a_thread_can_be_read_replayed_and_deleted() -> None:
    async with serving() as client:
        said = (await client.post("/ask", json=ASK)).json()
        at = f"/threads/{said['thread_id']}"
        shown = await client.get(at)
        kept = await client.get(f"{at}/history")
        steps = kept.json()["steps"]
        replayed = await client.post(f"{at}/replay", json={"checkpoint_id": steps[2]["checkpoint_id"]})
        deleted = await client.delete(at)
        gone = [await client.get(at), await client.get(f"{at}/history"), await client.delete(at)]
    Thread.model_validate_json(shown.content)
    History.model_validate_json(kept.content)
    ReplayReply.model_validate_json(replayed.content)
    assert replayed.json()["ran"] == ["retrieve", "evaluate", "generate"]
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert [(one.status_code, one.json()["code"]) for one in gone] == [(404, "not_found")] * 3


async def test_a_replay_streams_like_an_ask() -> None:
    async with serving() as client:
        said = (await client.post("/ask", json=ASK)).json()
        at = f"/threads/{said['thread_id']}"
        steps = (await client.get(f"{at}/history")).json()["steps"]
        body = {"checkpoint_id": steps[4]["checkpoint_id"], "stream": True}
        async with aconnect_sse(client, "POST", f"{at}/replay", json=body) as source:
            events = [event async for event in source.aiter_sse()]
    assert [event.event for event in events] == ["run", "node", "token", "node", "answer", "done"]
    assert json.loads(events[-2].data)["ran"] == ["generate"]


async def test_a_replay_that_cannot_be_is_a_problem() -> None:
    async with serving() as client:
        said = (await client.post("/ask", json=ASK)).json()
        at = f"/threads/{said['thread_id']}/replay"
        finished = await client.post(at, json={"checkpoint_id": said["checkpoint_id"]})
        unknown = await client.post(at, json={"checkpoint_id": "x"})
        edit = await client.post(at, json={"checkpoint_id": said["checkpoint_id"], "state": {"answer": "42"}})
        foreign = await client.post(f"/threads/{'0' * 32}/replay", json={"checkpoint_id": said["checkpoint_id"]})
    assert [one.status_code for one in (finished, unknown, edit, foreign)] == [422, 404, 422, 404]


async def test_ids_from_outside_never_break_anything() -> None:
    async with serving() as client:
        answers = [
            await client.get(f"/threads/{one}")
            for one in ("x", "%00", "%F0%9F%98%80", "%ED%A0%80", "..%2f", "a" * 5_000)
        ]
    assert {answer.status_code for answer in answers} == {404}


async def test_a_second_run_of_a_running_thread_is_a_409_that_names_the_run() -> None:
    reached, go = asyncio.Event(), asyncio.Event()

    async def slow(request: Any) -> str:
        reached.set()
        await go.wait()
        return "Hello."

    reasoner = ScriptedReasoner(route=lambda request: Route(False, "greeting", "hi"), answer=slow)
    async with serving(reasoner) as client:
        go.set()
        first = (await client.post("/ask", json={"question": "hi"})).json()
        go.clear()
        reached.clear()
        again = {"question": "hi", "thread_id": first["thread_id"]}
        running = asyncio.create_task(client.post("/ask", json=again))
        await reached.wait()
        second = await client.post("/ask", json=again)
        streamed = await client.post("/ask", json=again | {"stream": True})
        deleting = await client.delete(f"/threads/{first['thread_id']}")
        shown = (await client.get(f"/threads/{first['thread_id']}")).json()
        go.set()
        await running
    assert [one.status_code for one in (second, streamed, deleting)] == [409, 409, 409]
    assert shown["running"] in second.json()["detail"]


async def test_reading_a_thread_calls_no_model() -> None:
    reasoner = scripted()
    async with serving(reasoner) as client:
        said = (await client.post("/ask", json=ASK)).json()
        calls = len(reasoner.calls)
        await client.get(f"/threads/{said['thread_id']}")
        await client.get(f"/threads/{said['thread_id']}/history")
    assert len(reasoner.calls) == calls
