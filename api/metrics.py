"""`GET /metrics`: what Prometheus reads, of the whole server, with no name of a tenant, document or question in it."""

from __future__ import annotations

from typing import Any, Final, cast

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from api.dependencies import AdminDep, EngineDep, IndexDep, LiveDep, problems
from api.measures import Measures, Now
from context.reasoning import Endangered

router = APIRouter(tags=["service"])

_TEXT: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Counters", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.get("/metrics", response_class=Response, responses=_TEXT | problems(403))
async def get_metrics(
    request: Request, engine: EngineDep, index: IndexDep, live: LiveDep, principal: AdminDep
) -> Response:
    """Counters and gauges in Prometheus's text format; with API keys it takes one of the role admin."""
    measures = cast(Measures, request.app.state.measures)
    reasoner = engine.context_for(principal).reasoner
    size = await index.size()
    now = Now(
        documents=size.documents,
        chunks=size.chunks,
        generation=index.generation,
        caches=index.cache_counts(),
        live_runs=live.working,
        open_requests=request.app.state.open.requests,
        open_streams=request.app.state.open.streams,
        draining=live.draining,
        circuit_open=isinstance(reasoner, Endangered) and reasoner.down is not None,
    )
    return Response(measures.text(now), headers={"Content-Type": CONTENT_TYPE_LATEST})
