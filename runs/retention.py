"""How long threads are kept: a pass at the start and every hour deletes what is too old or too many."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from errors import GapseekError
from graph.freed import give_back
from graph.saved import SavedThreads
from runs.engine import Engine
from runs.threads import DELETION, drop

HOUR_S: Final = 3600.0
_DAY_S: Final = 86_400.0

_log = logging.getLogger("gapseek")


@dataclass(frozen=True)
class Keeping:
    """Days after its last step for which a thread is kept, and how many of each tenant; None keeps all."""

    days: float | None = None
    threads: int | None = None

    @property
    def limited(self) -> bool:
        return self.days is not None or self.threads is not None


async def tidy(engine: Engine, keeping: Keeping, now: float) -> list[str]:
    """Delete what is no longer kept, and name the threads that were.

    One that runs or waits for a person stays, whatever its age. Raises `StoreFailed`.
    """
    saved = SavedThreads(engine.saver)
    since = None if keeping.days is None else now - keeping.days * _DAY_S
    expired = await saved.expired(since=since, most=keeping.threads)
    deleted = [thread_id for thread_id, place in expired if await _dropped(engine, saved, thread_id, place)]
    if deleted:
        await give_back(engine.saver, wholly=True)
    return deleted


async def _dropped(engine: Engine, saved: SavedThreads, thread_id: str, place: str) -> bool:
    """Whether the thread is gone: not when it runs, or went on since it was found to be old."""
    if engine.locks.running(thread_id):
        return False
    with engine.locks.hold(thread_id, DELETION):
        if await saved.place(thread_id) != place:
            return False
        await drop(engine, thread_id)
    return True


async def tidy_hourly(
    engine: Engine,
    keeping: Keeping,
    forget: Callable[[str], None],
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """A pass now and every hour, until cancelled; `forget` is told each thread that was deleted.

    A pass that fails is told in the log, and the next one tries again.
    """
    while True:
        try:
            deleted = await tidy(engine, keeping, clock())
            for thread_id in deleted:
                forget(thread_id)
            if deleted:
                _log.info("%d threads were deleted that are no longer kept", len(deleted))
        except GapseekError as error:
            _log.warning("Threads that are no longer kept could not be deleted: %s", error.reason)
        await sleep(HOUR_S)
