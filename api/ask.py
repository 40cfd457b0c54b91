"""`POST /ask`: one question, answered in one JSON reply or as events."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.dependencies import AskerDep, EngineDep, problems
from api.respond import respond, streams
from api.schemas.asking import AskBody
from api.schemas.events import of_run
from api.schemas.replies import Reply
from runs.ask import ask

router = APIRouter(tags=["ask"])


@router.post("/ask", response_model=Reply, responses=of_run("Reply") | problems(404, 408, 409))
async def post_ask(body: AskBody, request: Request, engine: EngineDep, principal: AskerDep) -> Response:
    """Answer from the knowledge base, with citations, or say what could not be established and why.

    With `Accept: text/event-stream` or `stream: true` the answer comes as server-sent events: `run`, `node`, `token`,
    `draft`, `interrupt`, `answer` (the same object as the JSON reply), `error`, `done`. A client that leaves cancels
    its run.
    """
    asked = body.request(streamed=streams(request, stream=body.stream))
    return await respond(
        request, principal, ask(engine, principal, asked), stream=body.stream, on_disconnect=body.on_disconnect
    )
