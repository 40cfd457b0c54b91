"""However a run ends, its tally says so."""

from __future__ import annotations

import asyncio

import pytest

from errors import Unavailable
from runs.ask import Ask, ask
from runs.handoff import PersonSays, take_reply
from runs.stream import answered
from runs.tally import Tally
from tests.fakes.service import ALICE, engine_over, scripted

QUESTION = Ask("How many days of paid leave?", handoff=True)


def tally() -> Tally:
    return Tally("default", "loop")


def test_what_failed_is_told_by_its_code() -> None:
    ours, strange = tally(), tally()
    ours.failed(Unavailable("x", code="model_resting"))
    strange.failed(ValueError("x"))
    assert (ours.status, ours.error, strange.error) == ("failed", "model_resting", "internal")


async def test_a_run_that_is_left_is_cancelled_and_one_that_waits_says_so_until_the_reply() -> None:
    told: list[Tally] = []
    async with engine_over(scripted(score=0.1), watch=told.append) as engine:
        events = ask(engine, ALICE, QUESTION)
        async for event in events:
            if event.type == "node":
                break
        await events.aclose()
        assert (told[-1].status, told[-1].stop_reason) == ("cancelled", "cancelled")
        waiting = await answered(ask(engine, ALICE, QUESTION))
        assert (told[-1].status, told[-1].stop_reason) == ("awaiting_human", None)
        searched = told[-1].spent("searches")
        await take_reply(engine, ALICE, waiting["thread_id"], PersonSays("Twenty."))
    assert (told[-1].status, told[-1].stop_reason) == ("answered", "human")
    assert searched > 0
    assert told[-1].spent("searches") == 0, "what was spent before the reply was counted then"
    assert len(told) == 3


async def test_a_cancelled_task_is_told_too() -> None:
    told: list[Tally] = []
    reached = asyncio.Event()

    async def never(request: object) -> None:
        reached.set()
        await asyncio.Event().wait()

    async with engine_over(scripted(rewrite=never), watch=told.append) as engine:
        task = asyncio.create_task(answered(ask(engine, ALICE, QUESTION)))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [one.status for one in told] == ["cancelled"]
    assert told[0].seconds > 0
