"""`/health` and `/ready`: what is in use, and whether questions can be answered."""

from __future__ import annotations

import sqlite3
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from fastapi import APIRouter, Request

from api.dependencies import WITH_KEY, EngineDep, IndexDep, PrincipalDep, problems
from api.schemas.states import Health, Ready
from context.reasoning import Endangered
from errors import Unavailable
from runs.engine import MODES, Engine
from runs.listing import count_waiting
from runs.live import STOPPING

router = APIRouter(tags=["service"])

NO_THREADS: Final = "The file of threads cannot be read; the log says why, and `gapseek restore` brings back a backup."


@router.get("/health", response_model=Health, responses=problems(*WITH_KEY))
async def get_health(request: Request, engine: EngineDep, index: IndexDep, principal: PrincipalDep) -> dict[str, Any]:
    """Which reasoner and embedder answer, whether the vector lane is on, how much there is to search, and how
    many threads wait for a person."""
    counts = await index.counts(principal)
    return {
        "status": "ok",
        "version": installed_version(),
        "reasoner": engine.context_for(principal).reasoner.name,
        "embedder": index.embedder_name,
        "vector_lane": {"on": index.embedder_name is not None, "reason": request.app.state.vector_lane_off},
        "modes": list(MODES),
        "documents": counts.documents,
        "chunks": counts.chunks,
        "index_generation": index.generation_of(principal),
        "awaiting_human": await count_waiting(engine, principal),
    }


@router.get("/ready", response_model=Ready, openapi_extra={"security": [{}]})
async def get_ready(request: Request, engine: EngineDep, index: IndexDep, principal: PrincipalDep) -> dict[str, Any]:
    """200 once index and checkpoints can be read, while no chat endpoint is left alone after failures in a row, and
    until the server is told to stop. No endpoint is called for it.

    `degraded` says what does not work all the same.
    """
    if request.app.state.live.draining:
        raise Unavailable(STOPPING, code="stopping")
    reasoner = engine.context_for(principal).reasoner
    if isinstance(reasoner, Endangered) and reasoner.down:
        raise Unavailable(reasoner.down, code="model_resting")
    await index.counts(principal)
    await _read_threads(engine)
    short = request.app.state.short_of_room
    return {"ready": True, "degraded": [*([short] if short else []), *index.degraded]}


async def _read_threads(engine: Engine) -> None:
    """Raises `Unavailable` when the file of threads cannot be read."""
    try:
        await engine.saver.aget_tuple({"configurable": {"thread_id": "ready"}})
    except (sqlite3.Error, OSError) as exc:
        raise Unavailable(NO_THREADS, code="checkpoints_unreadable") from exc


def installed_version() -> str:
    """The version of the installed package; a source tree that nobody installed has none."""
    try:
        return version("gapseek")
    except PackageNotFoundError:
        return "not installed"
