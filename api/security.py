"""Who may talk to this server: any web page can post to a loopback port, so Host and Origin are checked first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import ProblemResponse, problem

UPLOADS: Final = "/documents"
"""The one address that takes files."""


class Guard:
    """Refuses a foreign Host (421), a foreign Origin (403) and a body over the limit (413)."""

    def __init__(
        self, app: ASGIApp, *, allowed_hosts: Sequence[str], max_body_bytes: int, max_upload_bytes: int
    ) -> None:
        self.app = app
        self.allowed_hosts = {host.lower() for host in allowed_hosts if host}
        self.max_body_bytes = max_body_bytes
        self.max_upload_bytes = max_upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        most = self._most(scope["path"], headers)
        refusal = self._refusal(headers, most)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, _limited(receive, most), send)

    def _most(self, path: str, headers: Headers) -> int:
        """Bytes that the body may have: files go to disk as they come, anything else stays in memory."""
        is_upload = path == UPLOADS and headers.get("content-type", "").lower().startswith("multipart/form-data")
        return self.max_upload_bytes if is_upload else self.max_body_bytes

    def _refusal(self, headers: Headers, most: int) -> ProblemResponse | None:
        hosts = headers.getlist("host")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if without_port(host) not in self.allowed_hosts:
            return problem(421, "unknown_host", "This server does not answer under that host name.")
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host:
            return problem(403, "foreign_origin", "Requests from other web pages are not allowed.")
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            return problem(413, "too_large", f"A body may have at most {most:,} bytes.")
        return None


def _limited(receive: Receive, most: int) -> Receive:
    """Counts what really arrives: a chunked body announces no length."""
    received = 0

    async def limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise HTTPException(413)  # FastAPI turns any other exception here into a 400
        return message

    return limited


def without_port(host: str) -> str:
    """The name of a Host header; an IPv6 address keeps its brackets."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() and not name.endswith(":") else host
