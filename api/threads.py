"""`/threads/{id}`: where a thread stands, every step it took, a replay from any, a person's reply, and its end."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from api.dependencies import AskerDep, EngineDep, LiveDep, ReaderDep, problems
from api.respond import respond
from api.schemas.asking import ReplayBody, ReplyBody
from api.schemas.comparing import Diff, Export
from api.schemas.events import of_run
from api.schemas.replies import History, ReplayReply, Reply, Thread
from runs.diff import diff
from runs.export import export
from runs.handoff import take_reply
from runs.history import history
from runs.replay import replay
from runs.threads import current, delete

router = APIRouter(prefix="/threads/{thread_id}", tags=["threads"])


@router.get("", response_model=Thread, responses=problems(404, 409))
async def get_thread(thread_id: str, engine: EngineDep, principal: ReaderDep) -> Response:
    """The latest turn with its reply, and the turns before. What was deleted since shows as deleted."""
    return JSONResponse(await current(engine, principal, thread_id))


@router.get("/history", response_model=History, responses=problems(404, 409))
async def get_history(thread_id: str, engine: EngineDep, principal: ReaderDep) -> Response:
    """Every step of every turn, oldest first. Nothing is run: this only reads."""
    return JSONResponse(await history(engine, principal, thread_id))


@router.get("/export", response_model=Export, responses=problems(404, 409))
async def get_export(thread_id: str, request: Request, engine: EngineDep, principal: ReaderDep) -> Response:
    """The thread as one JSON file for a report: steps, states, versions and settings, without secrets.

    It holds the question, the answer, and the quotes that were graded, but no other text of a document, and nothing of
    documents that the asker cannot read now.
    """
    exported = await export(engine, principal, thread_id, request.app.state.about)
    name = f"gapseek-{thread_id}.json"
    return JSONResponse(exported, headers={"content-disposition": f'attachment; filename="{name}"'})


@router.get("/diff/{other_id}", response_model=Diff, responses=problems(404, 409))
async def get_diff(thread_id: str, other_id: str, engine: EngineDep, principal: ReaderDep) -> Response:
    """The latest turns of two threads beside each other, such as a run and its replay. Nothing is run."""
    return JSONResponse(await diff(engine, principal, thread_id, other_id))


@router.post("/replay", response_model=ReplayReply, responses=of_run("ReplayReply") | problems(404, 408, 409))
async def post_replay(
    thread_id: str, body: ReplayBody, request: Request, engine: EngineDep, principal: AskerDep
) -> Response:
    """Run anew from a step, in a new thread; the recorded one stays as it is.

    Every node after the step runs again, and calls its model again. The reply says which `ran`, what was `edited`, and
    what `differs` from the recorded run.
    """
    return await respond(
        request,
        principal,
        replay(engine, principal, body.request(thread_id)),
        stream=body.stream,
        on_disconnect=body.on_disconnect,
    )


@router.post("/reply", response_model=Reply, responses=problems(404, 408, 409))
async def post_reply(thread_id: str, body: ReplyBody, engine: EngineDep, principal: ReaderDep) -> Response:
    """Answer for the machine, or decline to: the turn that waits for a person ends with this.

    The answer is the text as it came, cited as the person's. No model is asked, and a client that leaves changes
    nothing: the reply is taken up all the same.
    """
    return JSONResponse(await take_reply(engine, principal, thread_id, body.says()))


@router.delete("", status_code=204, response_class=Response, responses=problems(404, 409))
async def delete_thread(thread_id: str, engine: EngineDep, live: LiveDep, principal: AskerDep) -> None:
    """Remove the thread and everything kept of it: steps, the events of its runs, and what the file held of it."""
    await delete(engine, principal, thread_id)
    live.forget_thread(thread_id)
