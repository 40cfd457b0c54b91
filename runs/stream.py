"""How a run's events reach a client: all of them to the end, or only the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
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
    """Begin the run, and return its events as `Told` tells them. Raises what is wrong with the request."""
    return (await told(events)).events()


async def told(events: AsyncGenerator[Event, None]) -> Told:
    """Begin the run. What is wrong with the request is raised here, while a status can still be sent."""
    return Told(await anext(events), events)


class Told:
    """A run that has begun, as numbered events. An exception becomes an `error` event, and stays as `error`; `done` is
    always the last, unless whoever reads them stops.

    `run` is told with the first event of the graph: with durability `sync` the question is on the disk by then, so that
    what its asker was told to have begun is in the history even if the process is killed at once.
    """

    def __init__(self, first: Event, rest: AsyncGenerator[Event, None]) -> None:
        self.ids = {name: first.data[name] for name in ("thread_id", "run_id")}
        self.error: Exception | None = None
        self._first: Event | None = first
        self._rest = rest
        self._outcome: dict[str, Any] = {"status": "failed", "stop_reason": None}
        self._answered = False
        self._count = 0

    async def events(self) -> AsyncGenerator[Event, None]:
        try:
            async with aclosing(self._rest):
                async for event in self._rest:
                    for begun in self._begun():
                        yield begun
                    if event.type == "answer":
                        self._outcome = {name: event.data[name] for name in self._outcome}
                        self._answered = True
                    yield self._numbered(event)
        except Exception as error:
            self.error = error
            failed = failure(error, f"run {self.ids['run_id']}")
            if failed.code in get_args(StopReason):
                self._outcome["stop_reason"] = failed.code
            said = {"code": failed.code, "detail": failed.sentence, "retryable": failed.retryable, **self.ids}
            for begun in self._begun():
                yield begun
            yield self._numbered(Event("error", said))
        for begun in self._begun():
            yield begun
        yield self._done()

    def cancelled(self) -> Iterator[Event]:
        """The last events of a run that was stopped; one that had answered by then says so."""
        if not self._answered:
            self._outcome = {"status": "cancelled", "stop_reason": "cancelled"}
        yield from self._begun()
        yield self._done()

    def _begun(self) -> Iterator[Event]:
        """`run`, unless it was told before."""
        if self._first is not None:
            first, self._first = self._first, None
            yield self._numbered(first)

    def _done(self) -> Event:
        return self._numbered(Event("done", {**self.ids, **self._outcome}))

    def _numbered(self, event: Event) -> Event:
        self._count += 1
        return replace(event, id=self._count)
