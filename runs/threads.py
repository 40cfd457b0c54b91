"""Threads as their checkpoints tell of them: whose they are, where they stand, and their end."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from langgraph.types import StateSnapshot

from context.retrieval import Principal
from errors import Conflict, NotFound
from graph.freed import give_back
from graph.run_log import run_log
from runs.engine import Engine, config, may_read
from runs.reply import Ids, outcome, reply
from runs.visible import only_visible
from runs.waiting import awaited
from state import SCHEMA, RAGState

_THREAD_ID: Final = re.compile(r"[0-9a-f]{32}")
CHECKPOINT_ID: Final = re.compile(r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

DELETION: Final = "deletion"
"""In the place of a run's id while a thread is being deleted."""


async def owned(
    engine: Engine, principal: Principal, thread_id: str, checkpoint_id: str | None = None
) -> StateSnapshot:
    """The latest checkpoint of a thread, or the one named.

    Raises `NotFound`, the same for absent as for somebody else's, and `Conflict` for one that a newer Gapseek wrote.
    """
    if not _THREAD_ID.fullmatch(thread_id):
        raise NotFound("There is no such thread.")
    if checkpoint_id is not None and not CHECKPOINT_ID.fullmatch(checkpoint_id):
        raise NotFound("There is no such checkpoint in this thread.")
    snapshot = await engine.graph.aget_state(config(thread_id, checkpoint_id))
    if not may_read(principal, cast("dict[str, Any] | None", snapshot.metadata)):
        raise NotFound(f"There is no such {'checkpoint in this thread' if checkpoint_id else 'thread'}.")
    return readable(snapshot)


def readable(snapshot: StateSnapshot) -> StateSnapshot:
    """The snapshot, if this version knows its layout. Raises `Conflict`."""
    if snapshot.values.get("schema", SCHEMA) > SCHEMA:
        raise Conflict(
            "This thread was written by a newer version of Gapseek and can only be read by that.", code="newer_schema"
        )
    return snapshot


async def current(engine: Engine, principal: Principal, thread_id: str) -> dict[str, Any]:
    """Where a thread stands: its turns, the run that holds it, and the reply of the last turn if that has ended
    or waits for a person."""
    snapshot = await owned(engine, principal, thread_id)
    running = engine.locks.running(thread_id)
    ended = is_over(snapshot) or awaited(snapshot) is not None
    said = None if running or not ended else await _last_reply(engine, principal, thread_id, snapshot)
    return {
        "thread_id": thread_id,
        "running": running,
        "question": snapshot.values.get("question"),
        "turns": snapshot.values.get("history", []),
        **await outcome_of(engine, snapshot, running),
        "reply": said,
    }


async def delete(engine: Engine, principal: Principal, thread_id: str) -> None:
    """Remove a thread and all that its file has of it. Raises `NotFound`, and `Conflict` while it is running."""
    await owned(engine, principal, thread_id)
    with engine.locks.hold(thread_id, DELETION):
        await drop(engine, thread_id)
    await give_back(engine.saver)


async def drop(engine: Engine, thread_id: str) -> None:
    """Delete all rows of a thread, whosever it is, which nobody else may be using."""
    await engine.saver.adelete_thread(thread_id)
    await run_log(engine.saver).forget(thread_id)


async def outcome_of(engine: Engine, snapshot: StateSnapshot, running: str | None) -> dict[str, Any]:
    """How the latest turn stands, in two words; both None while it runs, and for one that is `unfinished`: the process
    died in it."""
    told = {"unfinished": False}
    if running:
        return {"status": None, "stop_reason": None, **told}
    waits = awaited(snapshot) is not None
    if waits or is_over(snapshot):
        return {**outcome(cast(RAGState, snapshot.values), awaited=waits), **told}
    return await _broken_off(engine, snapshot)


def is_over(snapshot: StateSnapshot) -> bool:
    """Whether the thread's latest turn came to its end: one cut off right after a node has a task, and nothing `next`,
    for what that node wrote is there already."""
    return not snapshot.tasks


async def _broken_off(engine: Engine, snapshot: StateSnapshot) -> dict[str, Any]:
    """Of a turn that ended before its end: it failed, was stopped, or nobody was there any more to say which."""
    if await run_log(engine.saver).open_run(snapshot.config["configurable"]["thread_id"]) is not None:
        return {"status": None, "stop_reason": None, "unfinished": True}
    # LangGraph keeps a task's exception as its `repr`; a client that left is no failure.
    if any(task.error and not str(task.error).startswith("CancelledError") for task in snapshot.tasks):
        return {"status": "failed", "stop_reason": None, "unfinished": False}
    return {"status": "cancelled", "stop_reason": "cancelled", "unfinished": False}


async def _last_reply(engine: Engine, principal: Principal, thread_id: str, snapshot: StateSnapshot) -> dict[str, Any]:
    state = cast(RAGState, snapshot.values)
    metadata = cast(dict[str, Any], snapshot.metadata)
    ids = Ids(thread_id, metadata["run_id"], snapshot.config["configurable"]["checkpoint_id"])
    took = sum(timing["ms"] for timing in state["timings"])
    said = reply(state, ids, total_ms=took, awaited=awaited(snapshot) is not None)
    return await only_visible(said, engine.context_for(principal))
