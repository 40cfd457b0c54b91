"""A run as an HTTP response: a stream of events, or one JSON reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from fastapi import Request
from starlette.responses import JSONResponse, Response

from api.disconnect import until_gone
from api.sse import EventStream
from runs.events import Event
from runs.stream import answered, opened


async def respond(request: Request, events: AsyncGenerator[Event, None], *, stream: bool) -> Response:
    """Run, and answer in the form that was asked for. Raises what is wrong with the request, or, in JSON, the run."""
    if streams(request, stream=stream):
        return EventStream(await opened(events), events)
    reply = await until_gone(request.receive, answered(events))
    return JSONResponse(reply) if reply is not None else Response(status_code=499)


def streams(request: Request, *, stream: bool) -> bool:
    """Whether the caller wants events, by the body's word or by the header."""
    return stream or "text/event-stream" in request.headers.get("accept", "")
