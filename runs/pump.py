"""Events into a queue, so that their reader can also hear others, or wait no longer than it wants to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from runs.events import Event


async def pump(events: AsyncGenerator[Event, None], queue: asyncio.Queue[Event | None]) -> None:
    """Put every event into the queue, and None when they have ended, however that came. Raises what they raise."""
    try:
        async with aclosing(events):
            async for event in events:
                queue.put_nowait(event)
    finally:
        queue.put_nowait(None)
