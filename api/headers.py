"""Headers that every reply has, so that a browser does nothing with one that it was not made for."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NO_PAGE: Final = "default-src 'none'; frame-ancestors 'none'"
"""For data: it loads nothing and stands in no frame."""
OWN_PAGE: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""For a page that names no policy of its own, which is that of `/docs`: its start is a script within it."""


class SecurityHeaders:
    """Adds them where the reply itself says nothing else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add(message)
            await send(message)

        await self.app(scope, receive, guarded)


def _add(message: MutableMapping[str, Any]) -> None:
    headers = MutableHeaders(scope=message)
    is_page = headers.get("content-type", "").startswith("text/html")
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "no-referrer")
    headers.setdefault("Content-Security-Policy", OWN_PAGE if is_page else NO_PAGE)
    if "etag" not in headers:  # a file that is the same for everybody, and may be kept
        headers.setdefault("Cache-Control", "no-store")
