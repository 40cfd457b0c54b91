"""Runs of this process, going on or just ended: each works in a task of its own, and its events are kept for a while,
so that a reader who lost the stream goes on where it was."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from context.retrieval import Principal
from errors import Conflict, NotFound, TooMany, Unavailable
from runs.engine import may_read, of_asker
from runs.events import Event
from runs.stream import Told, told

OnDisconnect = Literal["cancel", "continue"]
STOPPING: Final = "The server is stopping; ask again in a moment."
MAX_EVENTS: Final = 5_000
"""Events of one run that are kept: far more than the longest run has, but an end all the same."""


class Live:
    """One run. Its events are told to any number of readers, each at its own pace, from one list."""

    def __init__(self, run: Told, owner: dict[str, Any], on_disconnect: OnDisconnect) -> None:
        self.run_id = run.ids["run_id"]
        self.thread_id = run.ids["thread_id"]
        self.owner = owner
        self.error: Exception | None = None
        self.ended = False
        self._events: deque[Event] = deque(maxlen=MAX_EVENTS)
        self._news = asyncio.Event()
        self._readers = 0
        self._on_disconnect = on_disconnect
        self._reply: dict[str, Any] | None = None
        self._task = asyncio.create_task(self._work(run), name=f"run {self.run_id}")

    def unread(self) -> None:
        """Whoever was to read it has left, or never came: the same as the last reader leaving."""
        if not self._readers and self._on_disconnect == "cancel":
            self._task.cancel()

    async def events(self, after: int = 0) -> AsyncGenerator[Event, None]:
        """The events after this id, those to come too, until the last. Raises `Conflict` for those that are gone.

        When the last reader of a run leaves it that is not to continue without one, the run is cancelled.
        """
        self.check_kept(after)
        with self._reading():
            while (kept := await self._next(after)) is not None:
                yield kept
                after = kept.id

    async def reply(self) -> dict[str, Any]:
        """What the run answers in the end. Raises what it failed with, and `Conflict` when it was cancelled."""
        with self._reading():
            await self.over()
        if self.error is not None:
            raise self.error
        if self._reply is None:
            raise Conflict("This run was cancelled.", code="cancelled")
        return self._reply

    def check_kept(self, after: int) -> None:
        """Raises `Conflict` when the event after this id is no longer kept."""
        if self._events and self._events[0].id > after + 1:
            raise Conflict("Events before these are no longer kept; read the thread instead.", code="events_gone")

    async def begun(self) -> None:
        """Return once it works: cancelled before, its task would not even free the thread."""
        await asyncio.sleep(0)

    async def cancel(self) -> None:
        """Stop, and return when nothing of the run works any more."""
        self._task.cancel()
        await self.over()

    async def over(self) -> None:
        """Wait until it has ended, however that came."""
        await asyncio.wait({self._task})

    async def _work(self, run: Told) -> None:
        try:
            async with aclosing(run.events()) as events:
                async for event in events:
                    if event.type == "answer":
                        self._reply = event.data
                    self._tell(event)
            self.error = run.error
        except asyncio.CancelledError:
            for event in run.cancelled():
                self._tell(event)
        finally:
            self.ended = True
            self._news.set()

    def _tell(self, event: Event) -> None:
        self._events.append(event)
        self._news.set()

    async def _next(self, after: int) -> Event | None:
        """The event after this id, once there is one; None when there will be none."""
        while (kept := self._after(after)) is None and not self.ended:
            self._news.clear()
            await self._news.wait()
        return kept

    def _after(self, after: int) -> Event | None:
        self.check_kept(after)
        place = after + 1 - self._events[0].id if self._events else 0
        return self._events[place] if place < len(self._events) else None

    @contextmanager
    def _reading(self) -> Iterator[None]:
        self._readers += 1
        try:
            yield
        finally:
            self._readers -= 1
            self.unread()


@dataclass(frozen=True)
class Kept:
    """How many runs work at a time, and how long and of how many ended ones the events are kept."""

    running: int = 500
    seconds: float = 600.0
    ended: int = 200


class LiveRuns:
    """The runs by their ids. What an id names is told only to whoever may read the run's thread."""

    def __init__(self, kept: Kept = Kept(), clock: Callable[[], float] = time.monotonic) -> None:
        self._kept = kept
        self._clock = clock
        self._runs: dict[str, Live] = {}
        self._ended_at: dict[str, float] = {}
        """When it was first noticed that a run had ended."""
        self.draining = False

    async def start(
        self, events: AsyncGenerator[Event, None], principal: Principal, on_disconnect: OnDisconnect = "cancel"
    ) -> Live:
        """Begin a run. What is wrong with the request is raised here; also `TooMany`, and `Unavailable` while the
        service ends."""
        self._refuse()
        run = await told(events)
        live = Live(run, of_asker(principal, run.ids["run_id"]), on_disconnect)
        self._runs[live.run_id] = live
        self._forget()
        await live.begun()
        return live

    def find(self, principal: Principal, run_id: str) -> Live:
        """Raises `NotFound`, the same for absent, forgotten and somebody else's."""
        self._forget()
        live = self._runs.get(run_id)
        if live is None or not may_read(principal, live.owner):
            raise NotFound("There is no such run, or its events are no longer kept; its thread tells what came of it.")
        return live

    def working(self, tenant: str | None = None) -> int:
        """How many have not ended, of one tenant or of all."""
        return sum(not live.ended and tenant in (None, live.owner["tenant"]) for live in self._runs.values())

    def forget_thread(self, thread_id: str) -> None:
        """Drop the events of a thread that was deleted."""
        for live in [live for live in self._runs.values() if live.ended and live.thread_id == thread_id]:
            self._drop(live)

    async def drain(self, seconds: float) -> None:
        """Begin no more runs, let those that work finish, and cancel what does not within so many seconds."""
        self.draining = True
        waiting = [asyncio.ensure_future(live.over()) for live in self._runs.values() if not live.ended]
        if waiting:
            await asyncio.wait(waiting, timeout=seconds)
        await asyncio.gather(*(live.cancel() for live in self._runs.values() if not live.ended))

    def _refuse(self) -> None:
        if self.draining:
            raise Unavailable(STOPPING, code="stopping")
        if self.working() >= self._kept.running:
            raise TooMany("The server answers as many questions as it can; try again in a moment.")

    def _forget(self) -> None:
        """Drop ended runs that are too old, or too many."""
        now = self._clock()
        ended = [live for live in self._runs.values() if live.ended]
        for live in ended:
            self._ended_at.setdefault(live.run_id, now)
        for place, live in enumerate(reversed(ended)):
            if place >= self._kept.ended or self._ended_at[live.run_id] < now - self._kept.seconds:
                self._drop(live)

    def _drop(self, live: Live) -> None:
        del self._runs[live.run_id]
        self._ended_at.pop(live.run_id, None)
