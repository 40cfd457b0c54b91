"""Events on the wire: one JSON line each, a ping while nothing happens, and an end when the client leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final, cast

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from api.disconnect import until_gone
from runs.events import Event

PING_S = 15.0
"""Longest silence on a stream, in seconds; proxies cut a quiet one at 60."""

_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
_LINE_BREAKS: Final = {ord(char): f"\\u{ord(char):04x}" for char in "\u0085\u2028\u2029"}


def one_line(data: Any) -> str:
    """JSON in one line for every reader: also without the line breaks that JSON allows and some clients split at."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_LINE_BREAKS)


def frame(event: Event) -> bytes:
    """One event as it goes over the wire."""
    return format_sse_event(event=event.type, data_str=one_line(event.data), id=str(event.id))


class EventStream(StreamingResponse):
    """Sends events to their end, or until the client leaves: that is noticed at once, and not only at the next write.

    `left` is called in either case: a generator of events that was never begun closes nothing within it, and the client
    may leave before the first frame.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[Event, None], left: Callable[[], None]) -> None:
        super().__init__(frames(events, PING_S), headers=_HEADERS)
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(cast(AsyncGenerator[bytes, None], self.body_iterator)):
                await until_gone(receive, self.stream_response(send))
        finally:
            self._left()


async def frames(events: AsyncGenerator[Event, None], ping_s: float) -> AsyncGenerator[bytes, None]:
    """The frames of all events, and a ping whenever none came for `ping_s` seconds.

    No event is taken before the one before it went out, so that a slow reader leaves the others where they are kept.
    """
    async with aclosing(events):
        while True:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                while not (await asyncio.wait({coming}, timeout=ping_s))[0]:
                    yield KEEPALIVE_COMMENT
            finally:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)
            event = coming.result()
            if event is None:
                break
            yield frame(event)
