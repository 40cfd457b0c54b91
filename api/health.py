"""`/health` and `/ready`: what is in use, and whether questions can be answered."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import APIRouter, Request

from api.dependencies import WITH_KEY, EngineDep, IndexDep, PrincipalDep, problems
from api.schemas.states import Health, Ready
from context.reasoning import Endangered
from errors import Unavailable
from runs.engine import MODES
from runs.listing import count_waiting

router = APIRouter(tags=["service"])


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
        "index_generation": index.generation,
        "awaiting_human": await count_waiting(engine, principal),
    }


@router.get("/ready", response_model=Ready, openapi_extra={"security": [{}]})
async def get_ready(request: Request, engine: EngineDep, index: IndexDep, principal: PrincipalDep) -> dict[str, Any]:
    """200 once index and checkpoints can be read, and while no chat endpoint is left alone after failures in a row.

    `degraded` says what does not work all the same.
    """
    reasoner = engine.context_for(principal).reasoner
    if isinstance(reasoner, Endangered) and reasoner.down:
        raise Unavailable(reasoner.down, code="model_resting")
    await index.count(principal, None)
    await engine.saver.aget_tuple({"configurable": {"thread_id": "ready"}})
    short = request.app.state.short_of_room
    return {"ready": True, "degraded": [*([short] if short else []), *index.degraded]}


def installed_version() -> str:
    """The version of the installed package; a source tree that nobody installed has none."""
    try:
        return version("gapseek")
    except PackageNotFoundError:
        return "not installed"
