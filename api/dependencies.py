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


_MEANS: Final[dict[int, str]] = {
    401: "An API key is needed, or this one is not known.",
    403: "The key may not do this, or the request comes from another web page.",
    404: "There is none, or none that the key may see.",
    408: "The body did not come to its end.",
    409: "It is busy, or not in the state for this.",
    413: "Larger than the server takes.",
    415: "The body is encoded in a way that the server does not read.",
    421: "The server does not answer under this host name.",
    422: "Something in the request cannot be used; the sentence says what.",
    429: "Too many requests, or too many at a time.",
    500: "Something failed inside; the log names it by the reference.",
    503: "Something that is needed does not answer; `retryable` says whether the same again can help.",
}
_SECONDS: Final = {"description": "Seconds after which to try again.", "schema": {"type": "integer", "minimum": 1}}
_HEADERS: Final[dict[int, dict[str, Any]]] = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}}},
    429: {"Retry-After": _SECONDS | {"required": True}},
    503: {"Retry-After": _SECONDS},
}
EVERYWHERE: Final = (403, 413, 415, 421, 422, 500, 503)
"""Statuses that stand before or around every address."""
WITH_KEY: Final = (401, 429)
"""Those of all that is not open to everybody."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """OpenAPI entries for the errors that an address may answer with."""
    content = {"application/problem+json": {"schema": Problem.model_json_schema()}}
    return {
        status: {"description": _MEANS[status], "content": content, "headers": _HEADERS.get(status, {})}
        for status in statuses
    }
