"""`/runs/{id}`: the events of a run from where a reader lost them, and its end."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response

from api.dependencies import AskerDep, LiveDep, ReaderDep, problems
from api.schemas.events import of_run
from api.sse import EventStream
from errors import BadRequest

router = APIRouter(prefix="/runs/{run_id}", tags=["runs"])


@router.get("/events", response_class=Response, responses=of_run("Reply", "ReplayReply") | problems(404, 409))
async def get_events(
    run_id: str,
    live: LiveDep,
    principal: ReaderDep,
    last_event_id: Annotated[
        str, Header(description="The id of the last event that came.", json_schema_extra={"pattern": "^[0-9]{1,15}$"})
    ] = "0",
) -> Response:
    """The events after `Last-Event-ID`, those to come too: for whoever lost the stream of a run, or wants to look on.

    They are kept for a while after the run has ended, and in memory only; the thread keeps what came of it.
    """
    if not (last_event_id.isascii() and last_event_id.isdecimal() and len(last_event_id) < 16):
        raise BadRequest("The Last-Event-ID must be the id of an event: a whole number.")
    run, after = live.find(principal, run_id), int(last_event_id)
    run.check_kept(after)
    return EventStream(run.events(after), run.unread)


@router.post("/cancel", status_code=204, response_class=Response, responses=problems(404))
async def post_cancel(run_id: str, live: LiveDep, principal: AskerDep) -> None:
    """Stop a run: no further step begins, and its thread takes the next question. One that has ended stays as it is."""
    await live.find(principal, run_id).cancel()
