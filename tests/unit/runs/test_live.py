"""Runs that outlive their readers: nothing is lost or told twice, and what may end does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import BadRequest, Conflict, NotFound, TooMany, Unavailable
from runs import live as room
from runs.events import Event
from runs.live import Kept, Live, LiveRuns
from tests.fakes.service import ALICE, BOB

IDS = {"thread_id": "t" * 32, "run_id": "r" * 32}
ANSWER = Event("answer", {"status": "answered", "stop_reason": "sufficient", "answer": "Twenty."})


class Run:
    """A run that says `count` tokens and its answer, waiting before each but the first until it is let go on."""

    def __init__(self, count: int = 3, *, run_id: str = IDS["run_id"], held: bool = False) -> None:
        self.ids = IDS | {"run_id": run_id}
        self.count = count
        self.go_on = asyncio.Semaphore(0 if held else count + 1)
        self.closed = asyncio.Event()

    async def events(self) -> AsyncGenerator[Event, None]:
        try:
            yield Event("run", dict(self.ids))
            for number in range(self.count):
                if number:
                    await self.go_on.acquire()
                yield Event("token", {"text": str(number)})
            await self.go_on.acquire()
            yield ANSWER
        finally:
            self.closed.set()


async def collected(live: Live, after: int = 0) -> list[Event]:
    return [event async for event in live.events(after)]


async def test_readers_at_any_place_are_told_all_that_follows_and_nothing_twice() -> None:
    run = Run(held=True)
    live = await LiveRuns().start(run.events(), ALICE, "continue")
    early = asyncio.create_task(collected(live))
    run.go_on.release()
    await asyncio.sleep(0)
    late = asyncio.create_task(collected(live, 2))
    for _ in range(3):
        run.go_on.release()
    told = await early
    assert [event.id for event in told] == [1, 2, 3, 4, 5, 6]
    assert [event.type for event in told] == ["run", "token", "token", "token", "answer", "done"]
    assert await late == told[2:]
    assert await collected(live) == told
    assert await collected(live, 6) == await collected(live, 99) == []


@given(st.lists(st.integers(1, 4), max_size=12))
def test_a_stream_that_breaks_anywhere_is_made_whole_by_going_on_after_the_last_id(breaks: list[int]) -> None:
    async def read() -> list[int]:
        live = await LiveRuns().start(Run(8).events(), ALICE, "continue")
        seen: list[int] = []
        for length in [*breaks, 99]:
            async with aclosing(live.events(seen[-1] if seen else 0)) as events:
                for _ in range(length):
                    event = await anext(events, None)
                    if event is None:
                        break
                    seen.append(event.id)
        return seen

    assert asyncio.run(read()) == list(range(1, 12))


@pytest.mark.parametrize(("on_disconnect", "ends"), [("cancel", True), ("continue", False)])
async def test_the_last_reader_that_leaves_ends_a_run_unless_it_is_to_continue(on_disconnect: Any, ends: bool) -> None:
    run = Run(held=True)
    live = await LiveRuns().start(run.events(), ALICE, on_disconnect)
    first, second = live.events(), live.events()
    await anext(first)
    await anext(second)
    await first.aclose()
    assert not live.ended
    await second.aclose()
    if not ends:
        for _ in range(4):
            run.go_on.release()
    await live.over()
    (*_, last) = await collected(live)
    assert last.data["status"] == ("cancelled" if ends else "answered")
    assert run.closed.is_set()


async def test_a_reader_that_never_began_leaves_too() -> None:
    run = Run(held=True)
    live = await LiveRuns().start(run.events(), ALICE)
    live.events()
    live.unread()
    await live.over()
    assert run.closed.is_set()


async def test_a_run_that_is_cancelled_tells_its_readers_and_has_no_reply() -> None:
    run = Run(held=True)
    live = await LiveRuns().start(run.events(), ALICE)
    reading, waiting = asyncio.create_task(collected(live)), asyncio.create_task(live.reply())
    await asyncio.sleep(0)
    await live.cancel()
    assert run.closed.is_set()
    assert (await reading)[-1].data == run.ids | {"status": "cancelled", "stop_reason": "cancelled"}
    with pytest.raises(Conflict, match="cancelled"):
        await waiting
    await live.cancel()


async def test_cancelling_a_run_at_once_frees_what_it_held() -> None:
    run = Run(held=True)
    live = await LiveRuns().start(run.events(), ALICE)
    await live.cancel()
    assert run.closed.is_set()


async def test_what_a_run_fails_with_is_told_in_the_stream_and_raised_for_the_reply() -> None:
    async def failing() -> AsyncGenerator[Event, None]:
        yield Event("run", dict(IDS))
        raise Unavailable("The model is away.")

    live = await LiveRuns().start(failing(), ALICE)
    with pytest.raises(Unavailable, match="away"):
        await live.reply()
    assert [event.type for event in await collected(live)] == ["run", "error", "done"]


async def test_what_is_wrong_with_the_request_is_raised_at_the_start() -> None:
    async def wrong() -> AsyncGenerator[Event, None]:
        raise BadRequest("The question is empty.")
        yield Event("run", {})

    runs = LiveRuns()
    with pytest.raises(BadRequest):
        await runs.start(wrong(), ALICE)
    with pytest.raises(NotFound):
        runs.find(ALICE, IDS["run_id"])


async def test_a_run_is_found_by_whoever_may_read_its_thread_only() -> None:
    asker = replace(ALICE, groups=frozenset({"hr"}))
    runs = LiveRuns()
    live = await runs.start(Run().events(), asker)
    assert runs.find(asker, live.run_id) is live
    for other, run_id in ((BOB, live.run_id), (ALICE, live.run_id), (asker, "0" * 32), (asker, "../x")):
        with pytest.raises(NotFound):
            runs.find(other, run_id)


async def test_ended_runs_are_forgotten_by_number_and_by_age_and_running_ones_never() -> None:
    now = [0.0]
    runs = LiveRuns(Kept(running=9, seconds=60, ended=2), clock=lambda: now[0])
    held = Run(run_id="held", held=True)
    await runs.start(held.events(), ALICE, "continue")
    for name in ("a", "b", "c"):
        await (await runs.start(Run(run_id=name).events(), ALICE)).reply()
    with pytest.raises(NotFound):
        runs.find(ALICE, "a")
    assert runs.find(ALICE, "b")
    now[0] = 60.5
    with pytest.raises(NotFound):
        runs.find(ALICE, "b")
    now[0] = 1e6
    assert runs.find(ALICE, "held")
    await runs.drain(0)


async def test_events_that_are_no_longer_kept_are_not_passed_over_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_EVENTS", 3)
    live = await LiveRuns().start(Run(8).events(), ALICE, "continue")
    await live.over()
    with pytest.raises(Conflict) as raised:
        await collected(live, 4)
    assert raised.value.reason == "events_gone"
    assert [event.id for event in await collected(live, 8)] == [9, 10, 11]


async def test_no_more_runs_work_at_a_time_than_may() -> None:
    runs = LiveRuns(Kept(running=1))
    first = await runs.start(Run(run_id="a", held=True).events(), ALICE, "continue")
    with pytest.raises(TooMany):
        await runs.start(Run(run_id="b").events(), ALICE)
    await first.cancel()
    await (await runs.start(Run(run_id="b").events(), ALICE)).reply()


async def test_a_service_that_ends_takes_no_more_lets_finish_what_can_and_stops_the_rest() -> None:
    runs = LiveRuns()
    quick, stuck = Run(run_id="quick", held=True), Run(run_id="stuck", held=True)
    finishing = await runs.start(quick.events(), ALICE, "continue")
    stopped = await runs.start(stuck.events(), ALICE, "continue")
    draining = asyncio.create_task(runs.drain(0.2))
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as raised:
        await runs.start(Run(run_id="late").events(), ALICE)
    assert (raised.value.reason, raised.value.retryable) == ("stopping", True)
    for _ in range(4):
        quick.go_on.release()
    await draining
    assert (await finishing.reply())["answer"] == "Twenty."
    assert (await collected(stopped))[-1].data["status"] == "cancelled"
    assert stuck.closed.is_set()
