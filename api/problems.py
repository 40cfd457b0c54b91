"""Every error as problem+json (RFC 9457) with a code and a sentence; never a stack, a path or a stranger's message."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errors import GapseekError
from runs.failure import failure
from runs.marks import REQUEST

_SENTENCES: Final[dict[int, tuple[str, str]]] = {
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take that method."),
    408: ("timeout", "The body of the request did not come to its end."),
    413: ("too_large", "The body is larger than this server takes."),
}
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
_NO_JSON: Final = "The body is no valid JSON."
_LONGEST: Final = 2_000
"""Characters of a sentence: a name that it quotes is a stranger's, and may be of any length."""


class ProblemResponse(JSONResponse):
    media_type = "application/problem+json"


def problem(
    status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> ProblemResponse:
    """The one form of an error. `more` are extension members."""
    title = HTTPStatus(status).phrase
    content = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": _shown(detail)}
    content |= {"retryable": False} | more
    return ProblemResponse(content, status, headers)


def install(app: FastAPI) -> None:
    """Answer our own errors, bad input and unknown addresses as problems."""
    app.add_exception_handler(GapseekError, _known)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


class Unexpected:
    """Answers any other exception with 500 and a reference. Outermost, so that no server prints its text or stack."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, _in_a_sentence(send))
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except Exception as error:
            request_id = REQUEST.get() or uuid4().hex
            failed = failure(error, f"request {request_id}")
            if not started:  # else the server sees an unfinished response and closes the connection
                answer = problem(failed.status, failed.code, failed.sentence, request_id=request_id)
                await answer(scope, receive, send)


def _in_a_sentence(send: Send) -> Send:
    """Says why the service does not start as its error says it; Starlette would send the stack."""

    async def told(message: Message) -> None:
        error = sys.exc_info()[1] if message["type"] == "lifespan.startup.failed" else None
        if isinstance(error, Exception):
            message["message"] = failure(error, "the start").sentence
        await send(message)

    return told


def _known(request: Request, error: Exception) -> Response:
    known = failure(error, "a request")
    headers = {"Retry-After": "1"} if known.retryable else None
    ours = {"request_id": REQUEST.get()} if known.status >= 500 and REQUEST.get() else {}
    return problem(known.status, known.code, known.sentence, headers=headers, retryable=known.retryable, **ours)


def _invalid(request: Request, error: Exception) -> Response:
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    return problem(422, "bad_request", " ".join(_sentence(one) for one in problems[:3]) or "The request is invalid.")


def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 400:  # FastAPI's word for JSON that Python gives up on: bad UTF-8, deep nesting, a number too long
        return problem(422, "bad_request", _NO_JSON)
    headers = {"Allow": ", ".join(_allowed(request))} if status == 405 else getattr(error, "headers", None)
    code, sentence = _SENTENCES.get(status, ("http_error", f"{HTTPStatus(status).phrase}."))
    return problem(status, code, sentence, headers=headers)


def _allowed(request: Request) -> list[str]:
    """Every method of the address; a router knows only those of the route that it met first."""
    place = {name: request.scope[name] for name in ("type", "path", "headers") if name in request.scope}
    routes = request.app.router.routes
    return [
        method
        for method in _METHODS
        if any(route.matches({**place, "method": method, "root_path": ""})[0] is Match.FULL for route in routes)
    ]


def _shown(sentence: str) -> str:
    """What any terminal can show: without control characters, marks that turn the writing, and half characters."""
    cut = sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]}…"
    return "".join(char if char.isprintable() else "?" for char in cut)


def _sentence(one: Mapping[str, Any]) -> str:
    place = ".".join(str(step) for step in one["loc"][1:])
    match one["type"]:
        case "json_invalid":
            return _NO_JSON
        case "model_attributes_type" | "model_type" if not place:
            return "The body must be a JSON object, and its Content-Type application/json."
        case "extra_forbidden":
            return f"'{_short(place)}' is not a field of this request."
        case "missing":
            return f"'{place}' is missing." if place else "A JSON body is needed."
    return f"'{_short(place)}': {one['msg']}." if place else f"{one['msg']}."


def _short(place: str) -> str:
    """A field's name as it was sent, cut and made printable: it is a stranger's text."""
    printable = "".join(char if char.isprintable() else "?" for char in place[:60])
    return printable.encode("utf-8", "replace").decode()
