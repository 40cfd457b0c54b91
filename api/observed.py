"""Every request as seen from outside: its id, a line in the log, and a count; never its query, body or key."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.authentication import CALLER
from api.measures import Measures
from runs.marks import marked

HEADER: Final = "X-Request-Id"
_SANE: Final = re.compile(r"[A-Za-z0-9._-]{8,128}")
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NO_STATUS: Final = 499
"""What nginx calls a request whose client left before there was an answer."""

log = logging.getLogger("gapseek.requests")


@dataclass
class Open:
    """How many requests and streams are not over."""

    requests: int = 0
    streams: int = 0


class Observed:
    """Outermost, so that refusals are seen too. A request's own `X-Request-Id` is taken where it is a sane one."""

    def __init__(self, app: ASGIApp, *, measures: Measures, now_open: Open) -> None:
        self.app = app
        self._measures = measures
        self._open = now_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = sane_id(Headers(scope=scope).get(HEADER))
        seen = _Seen(request_id, self._open)
        with marked(request_id):
            try:
                await self.app(scope, receive, seen.sending(send))
            finally:
                seen.close()
                self._tell(scope, seen)

    def _tell(self, scope: Scope, seen: _Seen) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = route_of(scope)
        seconds = time.monotonic() - seen.began
        self._measures.request_over(method, route, seen.status, seconds)
        told = {"method": method, "route": route, "status": seen.status, "ms": round(seconds * 1000, 1)}
        log.info("request", extra={"told": told | {"caller": caller_of(scope)}})


class _Seen:
    """One request until its last byte."""

    def __init__(self, request_id: str, now_open: Open) -> None:
        self.began = time.monotonic()
        self.status = _NO_STATUS
        self._request_id = request_id
        self._open = now_open
        self._streams = False
        now_open.requests += 1

    def sending(self, send: Send) -> Send:
        async def seen(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._start(message)
            await send(message)

        return seen

    def _start(self, message: MutableMapping[str, Any]) -> None:
        self.status = message["status"]
        headers = MutableHeaders(scope=message)
        headers[HEADER] = self._request_id
        self._streams = headers.get("content-type", "").startswith("text/event-stream")
        self._open.streams += self._streams

    def close(self) -> None:
        self._open.requests -= 1
        self._open.streams -= self._streams


def sane_id(sent: str | None) -> str:
    """The id that a request brought, if it can stand in a log; else a new one."""
    return sent if sent is not None and _SANE.fullmatch(sent) else uuid4().hex


def route_of(scope: Scope) -> str:
    """The template of the address, such as /threads/{thread_id}; `none` for a request that came to none."""
    return getattr(scope.get("route"), "path", "none")


def caller_of(scope: Scope) -> str:
    """The id of the caller's key; without keys its address."""
    return str(scope.get(CALLER, "none")) or "local"
