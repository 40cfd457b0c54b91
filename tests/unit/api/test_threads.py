import asyncio
import json
import time
from typing import Any

import pytest
from httpx_sse import aconnect_sse
from pydantic import SecretStr

from api.schemas.comparing import Diff, Export
from api.schemas.replies import History, ReplayReply, Thread
from context.reasoning import Route
from runs.retention import tidy_hourly
from settings import Endpoint
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


async def test_a_run_and_its_replay_are_compared_and_exported() -> None:
    async with serving() as client:
        said = (await client.post("/ask", json=ASK)).json()
        at = f"/threads/{said['thread_id']}"
        body = {"checkpoint_id": said["checkpoint_id"], "evidence": "recorded", "dials": {"threshold": 0.96}}
        again = (await client.post(f"{at}/replay", json=body)).json()
        compared = await client.get(f"{at}/diff/{again['thread_id']}")
        exported = await client.get(f"{at}/export")
    assert (again["ran"], again["edited"]) == (["evaluate", "generate"], ["dials", "evidence"])
    Diff.model_validate_json(compared.content)
    Export.model_validate_json(exported.content)
    assert compared.json()["stop_reason"] == {"before": "sufficient", "after": "single_pass"}
    assert exported.headers["content-disposition"] == f'attachment; filename="gapseek-{said["thread_id"]}.json"'


async def test_a_model_or_prompts_that_are_not_configured_are_refused_with_those_that_are() -> None:
    async with serving() as client:
        said = (await client.post("/ask", json=ASK)).json()
        at = f"/threads/{said['thread_id']}"
        first = (await client.get(f"{at}/history")).json()["steps"][0]["checkpoint_id"]
        model = await client.post(f"{at}/replay", json={"checkpoint_id": first, "model": "x"})
        prompts = await client.post(f"{at}/replay", json={"checkpoint_id": first, "prompts": "x"})
        evidence = await client.post(f"{at}/replay", json={"checkpoint_id": first, "evidence": "none"})
    assert [one.status_code for one in (model, prompts, evidence)] == [422, 422, 422]
    assert "there are default" in model.json()["detail"]
    assert "default, built-in" in prompts.json()["detail"]


async def test_a_key_of_the_settings_is_in_no_export() -> None:
    mark = "sk-marker-0c2f"
    chat = Endpoint(api_key=SecretStr(mark), base_url=f"https://{mark}.example/v1", model="m", extra_body={"x": mark})
    async with serving(chat=chat) as client:
        said = (await client.post("/ask", json=ASK)).json()
        exported = await client.get(f"/threads/{said['thread_id']}/export")
    assert exported.json()["about"]["settings"]["chat.model"] == "m"
    assert mark not in exported.text


async def test_a_deleted_thread_takes_the_events_of_its_runs_along() -> None:
    async with serving() as client:
        said = (await client.post("/ask", json=ASK)).json()
        events = f"/runs/{said['run_id']}/events"
        assert (await client.get(events)).status_code == 200
        await client.delete(f"/threads/{said['thread_id']}")
        assert (await client.get(events)).status_code == 404


async def test_a_server_keeps_as_many_threads_as_its_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    due, passed = asyncio.Event(), asyncio.Event()

    async def hour(seconds: float) -> None:
        passed.set()
        await due.wait()
        due.clear()

    monkeypatch.setattr(tidy_hourly, "__defaults__", (time.time, hour))
    async with serving(keep_threads=1) as client:
        await passed.wait()
        passed.clear()
        _, second = [(await client.post("/ask", json=ASK)).json()["thread_id"] for _ in range(2)]
        due.set()
        await passed.wait()
        listed = (await client.get("/threads")).json()["threads"]
    assert [one["thread_id"] for one in listed] == [second]


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
