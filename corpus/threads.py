"""Calls beside the event loop, and those so short that the way to a thread and back would be a good part of them."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import partial
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SMALL: Final = 30_000
"""Chunks that one query may look at on the event loop itself: one or two milliseconds (docs/decisions/0054)."""
FEW: Final = 20
"""Passages that are read in less than a millisecond."""


class Turns:
    """Short calls, made on the event loop: one in each of its rounds, so that however many wait, all else that is ready
    comes between two of them."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def call(self, call: Callable[[], T], *, short: bool) -> T:
        """In a thread, unless it is short."""
        if not short:
            return await asyncio.to_thread(call)
        async with self._turn:
            made = call()
            await asyncio.sleep(0)
        return made


async def finished(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The call in a thread, waited for however often the caller is cancelled: a thread cannot be stopped half-way."""
    # A future and no task: at the end of a program all tasks are cancelled, which would pass for the thread's end.
    run = partial(contextvars.copy_context().run, call, *args, **kwargs)
    running = asyncio.get_running_loop().run_in_executor(None, run)
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled from running.exception()
    return running.result()
