"""What handlers are given, as aliases: a handler's signature is a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, cast

from fastapi import Depends, Request

from api.authentication import PRINCIPAL
from api.schemas.replies import Problem
from context.retrieval import Principal
from corpus.index import Index
from corpus.ingest.convert.converter import Converter
from errors import Forbidden
from runs.engine import Engine
from runs.live import LiveRuns


def _engine(request: Request) -> Engine:
    return cast(Engine, request.app.state.engine)


def _index(request: Request) -> Index:
    return cast(Index, request.app.state.index)


def _converter(request: Request) -> Converter:
    return cast(Converter, request.app.state.converter)


def live_runs(request: Request) -> LiveRuns:
    """The runs that go on in this process, or just ended."""
    return cast(LiveRuns, request.app.state.live)


def _principal(request: Request) -> Principal:
    """Whom the key stands for (api/authentication.py)."""
    return cast(Principal, request.scope[PRINCIPAL])


_Found = Annotated[Principal, Depends(_principal)]


def _with(*roles: str) -> Callable[[_Found], Principal]:
    """The principal, if it has one of these roles."""

    def allowed(principal: _Found) -> Principal:
        if principal.roles.isdisjoint(roles):
            raise Forbidden(f"This needs an API key with the role {' or '.join(roles)}.")
        return principal

    return allowed


EngineDep = Annotated[Engine, Depends(_engine)]
IndexDep = Annotated[Index, Depends(_index)]
ConverterDep = Annotated[Converter, Depends(_converter)]
LiveDep = Annotated[LiveRuns, Depends(live_runs)]
PrincipalDep = _Found
AskerDep = Annotated[Principal, Depends(_with("ask"))]
ReaderDep = Annotated[Principal, Depends(_with("ask", "review"))]
"""Who may read threads: whoever asks, and whoever replies to what was handed over."""
IngesterDep = Annotated[Principal, Depends(_with("ingest"))]
AdminDep = Annotated[Principal, Depends(_with("admin"))]


STREAMED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}
"""The OpenAPI entry of an answer that may come as events."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """OpenAPI entries for the errors that an address may answer with."""
    content = {"application/problem+json": {"schema": Problem.model_json_schema()}}
    return {status: {"description": "A problem", "content": content} for status in statuses}
