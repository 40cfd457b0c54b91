"""`GET /threads/{a}/diff/{b}`: the latest turns of two threads beside each other. Nothing is run."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from langgraph.types import StateSnapshot

from context.retrieval import Principal
from errors import Conflict
from runs.comparison import compared
from runs.engine import Engine
from runs.reply import Ids, reply
from runs.threads import outcome_of, owned
from runs.visible import only_visible
from runs.waiting import awaited
from state import RAGState


async def diff(engine: Engine, principal: Principal, before: str, after: str) -> dict[str, Any]:
    """What differs from the first thread to the second.

    Raises `NotFound` where either is absent or not the principal's to read, and `Conflict` for what a newer Gapseek
    wrote or what has just begun.
    """
    first, second = await _begun(engine, principal, before), await _begun(engine, principal, after)
    said = (await _said(engine, principal, first), await _said(engine, principal, second))
    # Aligning long answers is work of the processor.
    found = await asyncio.to_thread(compared, cast(RAGState, first.values), cast(RAGState, second.values), said)
    return {"threads": {"before": _ids(first), "after": _ids(second)}, **found}


async def _begun(engine: Engine, principal: Principal, thread_id: str) -> StateSnapshot:
    snapshot = await owned(engine, principal, thread_id)
    if not snapshot.values:
        raise Conflict("This thread has just begun and has nothing to compare yet.", code="thread_busy")
    return snapshot


async def _said(engine: Engine, principal: Principal, snapshot: StateSnapshot) -> dict[str, Any]:
    """The reply as it stands, with what this principal may see of it."""
    state, place = cast(RAGState, snapshot.values), _ids(snapshot)
    ids = Ids(place["thread_id"], place["run_id"], place["checkpoint_id"])
    said = reply(state, ids, total_ms=0.0, awaited=awaited(snapshot) is not None)
    stands = await outcome_of(engine, snapshot, engine.locks.running(place["thread_id"]))
    return await only_visible(said | stands, engine.context_for(principal))


def _ids(snapshot: StateSnapshot) -> dict[str, str]:
    place, metadata = snapshot.config["configurable"], cast(dict[str, Any], snapshot.metadata)
    return {
        "thread_id": place["thread_id"],
        "run_id": metadata["run_id"],
        "checkpoint_id": place["checkpoint_id"],
    }
