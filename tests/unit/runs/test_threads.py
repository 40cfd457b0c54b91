import asyncio
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from context.reasoning import Route
from errors import Conflict, NotFound
from runs.ask import Ask, ask
from runs.engine import Engine
from runs.stream import answered
from runs.threads import current, delete, owned
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import ALICE, BOB, TEXTS, engine_over, scripted

QUESTION = Ask("How many days of paid leave?")


async def rows(path: Path, thread_id: str) -> list[int]:
    async with aiosqlite.connect(path) as db:
        counts = []
        for table in ("checkpoints", "writes"):
            cursor = await db.execute(f"SELECT count(*) FROM {table} WHERE thread_id = ?", (thread_id,))  # noqa: S608
            row = await cursor.fetchone()
            assert row is not None
            counts.append(int(row[0]))
    return counts


async def test_a_thread_shows_its_turns_and_the_last_reply() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        shown = await current(engine, ALICE, said["thread_id"])
    assert (shown["status"], shown["stop_reason"], shown["running"]) == ("answered", "sufficient", None)
    assert [turn["answer"] for turn in shown["turns"]] == [said["answer"]]
    unlike = ("timings",)
    assert {k: v for k, v in shown["reply"].items() if k not in unlike} == {
        k: v for k, v in said.items() if k not in unlike
    }


async def test_what_was_deleted_since_shows_as_deleted() -> None:
    retriever = MemoryIndex(TEXTS)
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        retriever.passages.clear()
        shown = (await current(engine, ALICE, said["thread_id"]))["reply"]
    for quoted in (shown["citations"][0], shown["ledger"][0]["evidence"][0]):
        assert (quoted["quote"], quoted["deleted"]) == ("", True)


async def test_deleting_removes_every_row_of_this_thread_only(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_over(path=path) as engine:
        gone = (await answered(ask(engine, ALICE, QUESTION)))["thread_id"]
        stays = (await answered(ask(engine, ALICE, QUESTION)))["thread_id"]
        assert all(await rows(path, gone))
        await delete(engine, ALICE, gone)
        with pytest.raises(NotFound):
            await owned(engine, ALICE, gone)
    assert await rows(path, gone) == [0, 0]
    assert all(await rows(path, stays))


async def test_nobody_elses_thread_can_be_seen_or_deleted() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        for forbidden in (current, delete):
            with pytest.raises(NotFound):
                await forbidden(engine, BOB, said["thread_id"])
        assert (await current(engine, ALICE, said["thread_id"]))["status"] == "answered"


async def test_a_running_thread_says_so_and_cannot_be_deleted() -> None:
    reached, go = asyncio.Event(), asyncio.Event()

    async def slow(request: Any) -> str:
        reached.set()
        await go.wait()
        return "Hello."

    route = [Route(False, "greeting", "hi"), Route(False, "greeting", "hi")]
    async with engine_over(ScriptedReasoner(route=route, answer=slow)) as engine:
        go.set()
        first = await answered(ask(engine, ALICE, Ask("hi")))
        go.clear()
        reached.clear()
        running = asyncio.create_task(answered(ask(engine, ALICE, Ask("hi", thread_id=first["thread_id"]))))
        await reached.wait()
        shown = await current(engine, ALICE, first["thread_id"])
        assert shown["running"] == engine.locks.running(first["thread_id"])
        assert (shown["status"], shown["reply"]) == (None, None)
        with pytest.raises(Conflict):
            await delete(engine, ALICE, first["thread_id"])
        go.set()
        await running


async def ids_of(engine: Engine, ids: dict[str, Any]) -> None:
    async for event in ask(engine, ALICE, QUESTION):
        ids.update(event.data if event.type == "run" else {})


async def test_a_turn_that_failed_says_so() -> None:
    ids: dict[str, Any] = {}
    async with engine_over(scripted(answer=[ValueError("boom")])) as engine:
        with pytest.raises(ValueError, match="boom"):
            await ids_of(engine, ids)
        shown = await current(engine, ALICE, ids["thread_id"])
    assert (shown["status"], shown["stop_reason"], shown["reply"]) == ("failed", None, None)


async def test_a_turn_whose_client_left_says_so() -> None:
    reached = asyncio.Event()

    async def never(request: Any) -> str:
        reached.set()
        return str(await asyncio.Event().wait())

    ids: dict[str, Any] = {}
    async with engine_over(scripted(answer=never)) as engine:
        running = asyncio.create_task(ids_of(engine, ids))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        shown = await current(engine, ALICE, ids["thread_id"])
    assert (shown["status"], shown["stop_reason"], shown["reply"]) == ("cancelled", "cancelled", None)


@pytest.mark.parametrize("node", ["route", "rewrite", "retrieve", "evaluate", "generate"])
async def test_a_turn_cut_off_right_after_any_node_was_cancelled_and_the_next_one_stands_alone(node: str) -> None:
    async with engine_over() as engine:
        events, thread_id = ask(engine, ALICE, QUESTION), ""
        async for event in events:
            thread_id = event.data.get("thread_id", thread_id)
            if event.data.get("name") == node and event.data["phase"] == "end":
                break
        await events.aclose()
        shown = await current(engine, ALICE, thread_id)
        assert (shown["status"], shown["stop_reason"], shown["reply"]) == ("cancelled", "cancelled", None)
        said = await answered(ask(engine, ALICE, Ask("And how many of notice?", thread_id)))
        shown = await current(engine, ALICE, thread_id)
    assert [turn["answer"] for turn in shown["turns"]] == [said["answer"]]
