"""The threads of a tenant, a page at a time, newest first. Nothing is run."""

from __future__ import annotations

from typing import Any, Final

from langgraph.types import StateSnapshot

from context.retrieval import Principal
from errors import BadRequest
from graph.saved import SavedThreads
from runs.engine import Engine, config
from runs.threads import CHECKPOINT_ID, outcome_of
from runs.waiting import awaited
from state import SCHEMA, Status

LOOKED_AT: Final = 200
"""Threads that one page reads at most: with a status that few have, it may come short and still have a next."""


async def listed(
    engine: Engine, principal: Principal, *, status: Status | None, after: str | None, limit: int
) -> dict[str, Any]:
    """A page of threads, all or those of a status. Raises `BadRequest` for an `after` that no page gave."""
    if after is not None and not CHECKPOINT_ID.fullmatch(after):
        raise BadRequest("'after' must be the 'next' of another page.")
    saved = SavedThreads(engine.saver)
    look = saved.waiting if status == "awaiting_human" else saved.newest
    # One more than is read, which tells whether there is a next page.
    most = limit if status in (None, "awaiting_human") else LOOKED_AT
    found = await look(principal, before=after, limit=most + 1)
    threads: list[dict[str, Any]] = []
    for thread_id, place in found[:most]:
        snapshot = await engine.graph.aget_state(config(thread_id))
        after = place
        if snapshot.metadata is not None and _is(entry := await _entry(engine, thread_id, snapshot), status):
            threads.append(entry)
        if len(threads) == limit:
            break
    more = bool(found) and after != found[-1][1]
    return {"threads": threads, "next": after if more else None}


async def count_waiting(engine: Engine, principal: Principal) -> int:
    """How many threads of the tenant wait for a person."""
    return await SavedThreads(engine.saver).count_waiting(principal)


def _is(entry: dict[str, Any], status: Status | None) -> bool:
    return status is None or entry["status"] == status


async def _entry(engine: Engine, thread_id: str, snapshot: StateSnapshot) -> dict[str, Any]:
    values, running = snapshot.values, engine.locks.running(thread_id)
    # What a newer Gapseek wrote is there, and how it stands only that can tell.
    newer = values.get("schema", SCHEMA) > SCHEMA
    unknown = {"status": None, "stop_reason": None, "unfinished": False}
    outcome = unknown if newer else await outcome_of(engine, snapshot, running)
    asked = awaited(snapshot) or {"gaps": ()}
    return {
        "thread_id": thread_id,
        "question": values.get("question"),
        "turns": len(values.get("history", ())),
        "running": running,
        **outcome,
        "missing": [gap["text"] for gap in asked["gaps"]],
        "updated_at": snapshot.created_at,
    }
