"""Who holds a thread, and what a run that wrote nothing leaves of the one before it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graph.run_log import run_log
from runs.ask import Ask, ask
from runs.engine import Engine
from runs.holding import held
from runs.stream import answered
from runs.threads import current
from tests.fakes.service import ALICE
from tests.unit.runs.test_retention import engine_on

QUESTION = "How many days of paid leave?"


async def died_after_route(engine: Engine) -> str:
    """A thread whose process was killed in its first turn: some steps are there, and no end."""
    events = ask(engine, ALICE, Ask(QUESTION))
    ids: dict[str, object] = {}
    async for event in events:
        ids |= event.data if event.type == "run" else {}
        if event.data.get("name") == "route" and event.data["phase"] == "end":
            break
    await events.aclose()
    thread_id = str(ids["thread_id"])
    await run_log(engine.saver).begin(thread_id, str(ids["run_id"]))
    return thread_id


async def is_unfinished(engine: Engine, thread_id: str) -> bool:
    return bool((await current(engine, ALICE, thread_id))["unfinished"])


async def test_a_run_that_wrote_nothing_leaves_the_one_that_died_as_it_was(tmp_path: Path) -> None:
    async with engine_on(tmp_path / "threads.sqlite") as engine:
        thread_id = await died_after_route(engine)
        assert await is_unfinished(engine, thread_id)
        with pytest.raises(asyncio.CancelledError):
            async with held(engine, thread_id, "of-a-client-that-left-at-once"):
                raise asyncio.CancelledError
        assert await is_unfinished(engine, thread_id)


async def test_a_run_that_wrote_puts_an_end_to_the_one_that_died(tmp_path: Path) -> None:
    async with engine_on(tmp_path / "threads.sqlite") as engine:
        thread_id = await died_after_route(engine)
        await answered(ask(engine, ALICE, Ask(QUESTION, thread_id)))
        shown = await current(engine, ALICE, thread_id)
        assert (shown["unfinished"], shown["status"]) == (False, "answered")
        assert await run_log(engine.saver).open_run(thread_id) is None
