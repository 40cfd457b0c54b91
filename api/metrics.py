"""`GET /metrics`: what Prometheus reads, with no name of a tenant, document or question in it."""

from __future__ import annotations

from typing import Any, Final, cast

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from api.dependencies import AdminDep, ConverterDep, EngineDep, IndexDep, LiveDep, problems
from api.measures import Measures
from api.standing import Held, Process
from context.reasoning import Endangered, Queueing, Reasoner
from context.retrieval import Principal
from corpus.index import Index
from corpus.ingest.convert.converter import Converter

router = APIRouter(tags=["service"])

OPERATOR: Final = Principal().tenant
"""The tenant of whoever runs the server: its admins see the whole of it, those of any other their own part."""

_TEXT: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Counters", "content": {"text/plain": {"schema": {"type": "string"}}}}
}


@router.get("/metrics", response_class=Response, responses=_TEXT | problems(403))
async def get_metrics(
    request: Request, engine: EngineDep, index: IndexDep, converter: ConverterDep, live: LiveDep, principal: AdminDep
) -> Response:
    """Counters and gauges in Prometheus's text format; with API keys it takes one of the role admin.

    A key of the tenant `default` is shown the whole server, one of another tenant what is its own.
    """
    measures = cast(Measures, request.app.state.measures)
    if principal.tenant == OPERATOR:
        held = Held(await index.size(), index.generation, live.working())
        process = _process(request, index, converter, engine.context_for(principal).reasoner)
        text = measures.text(held, process)
    else:
        own = Held(await index.counts(principal), index.generation_of(principal), live.working(principal.tenant))
        text = measures.text_of(principal.tenant, own)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})


def _process(request: Request, index: Index, converter: Converter, reasoner: Reasoner) -> Process:
    state = request.app.state
    return Process(
        caches=index.cache_counts(),
        waiting={
            "model_call": reasoner.waiting if isinstance(reasoner, Queueing) else 0,
            "file": converter.waiting,
            "change": index.waiting,
        },
        open_requests=state.open.requests,
        open_streams=state.open.streams,
        draining=state.live.draining,
        circuit_open=isinstance(reasoner, Endangered) and reasoner.down is not None,
    )
