"""`GET /threads`: what was asked, and how each thread stands."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from api.dependencies import EngineDep, ReaderDep
from api.schemas.replies import Threads
from runs.listing import listed
from runs.threads import CHECKPOINT_ID
from state import Status

router = APIRouter(tags=["threads"])


@router.get("/threads", response_model=Threads)
async def get_threads(
    engine: EngineDep,
    principal: ReaderDep,
    status: Status | None = None,
    after: Annotated[
        str | None,
        Query(description="The `next` of the page before.", json_schema_extra={"pattern": CHECKPOINT_ID.pattern}),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """A page of threads, newest first; `?status=awaiting_human` are those that wait for a person.

    With another status a page reads 200 threads at most, so that it may hold fewer than `limit` and still have a next.
    """
    return JSONResponse(await listed(engine, principal, status=status, after=after, limit=limit))
