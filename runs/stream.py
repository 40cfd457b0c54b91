"""How a run's events reach a client: all of them to the end, or only the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, get_args

from runs.events import Event
from runs.failure import failure
from state import StopReason


async def answered(events: AsyncGenerator[Event, None]) -> dict[str, Any]:
    """Run to the end and return the reply. Raises what the run raises."""
    async with aclosing(events):
        return [event.data async for event in events if event.type == "answer"][-1]


async def opened(events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    """Begin the run, and return its numbered events.

    What is wrong with the request is raised here, while a status can still be sent. Later an exception becomes an
    `error` event; `done` is always the last, unless the client left.
    """
    first = await anext(events)
    return _numbered(_to_the_end(first, events))


async def _numbered(events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    count = 0
    async with aclosing(events):
        async for event in events:
            count += 1
            yield replace(event, id=count)


async def _to_the_end(first: Event, rest: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    ids = {name: first.data[name] for name in ("thread_id", "run_id")}
    outcome: dict[str, Any] = {"status": "failed", "stop_reason": None}
    yield first
    try:
        async with aclosing(rest):
            async for event in rest:
                if event.type == "answer":
                    outcome = {name: event.data[name] for name in outcome}
                yield event
    except Exception as error:
        failed = failure(error, f"run {ids['run_id']}")
        if failed.code in get_args(StopReason):
            outcome["stop_reason"] = failed.code
        yield Event("error", {"code": failed.code, "detail": failed.sentence, "retryable": failed.retryable, **ids})
    yield Event("done", {**ids, **outcome})
