"""A run as an HTTP response: a stream of events, or one JSON reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from fastapi import Request
from starlette.responses import JSONResponse, Response

from api.dependencies import live_runs
from api.disconnect import until_gone
from api.sse import EventStream
from context.retrieval import Principal
from runs.events import Event
from runs.live import OnDisconnect


async def respond(
    request: Request,
    principal: Principal,
    events: AsyncGenerator[Event, None],
    *,
    stream: bool,
    on_disconnect: OnDisconnect = "cancel",
) -> Response:
    """Run, and answer in the form that was asked for. Raises what is wrong with the request, or, in JSON, the run."""
    live = await live_runs(request).start(events, principal, on_disconnect)
    if streams(request, stream=stream):
        return EventStream(live.events(), live.unread)
    try:
        reply = await until_gone(request.receive, live.reply())
    finally:
        live.unread()
    return JSONResponse(reply) if reply is not None else Response(status_code=499)


def streams(request: Request, *, stream: bool) -> bool:
    """Whether the caller wants events, by the body's word or by the header."""
    return stream or "text/event-stream" in request.headers.get("accept", "")
