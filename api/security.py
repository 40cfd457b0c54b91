"""Who may talk to this server: any web page can post to a loopback port, so Host and Origin are checked first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.arriving import limited
from api.problems import ProblemResponse, problem

DOCUMENTS: Final = "/documents"
"""The one address that takes documents and files."""
SMALL: Final = 1_000_000
"""Bytes of a body at any other address: the longest question or reply is a tenth of that, and it is read at once."""
_LONGEST_LENGTH: Final = 18
"""Digits of a length that is read at all."""


class Guard:
    """Refuses a foreign Host (421), a foreign Origin (403), a body over the limit (413) and a compressed one (415)."""

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
        await self.app(scope, limited(receive, most), send)

    def _most(self, path: str, headers: Headers) -> int:
        """Bytes that the body may have: files go to disk as they come, anything else stays in memory."""
        if path != DOCUMENTS:
            return min(SMALL, self.max_body_bytes)
        is_form = headers.get("content-type", "").lower().startswith("multipart/form-data")
        return self.max_upload_bytes if is_form else self.max_body_bytes

    def _refusal(self, headers: Headers, most: int) -> ProblemResponse | None:
        hosts = headers.getlist("host")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if without_port(host) not in self.allowed_hosts:
            return problem(421, "unknown_host", "This server does not answer under that host name.")
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] != host:
            return problem(403, "foreign_origin", "Requests from other web pages are not allowed.")
        return _refused_body(headers, most)


def _refused_body(headers: Headers, most: int) -> ProblemResponse | None:
    """By what is announced of it, before a byte is read."""
    length = headers.get("content-length", "0")
    if length.isdecimal() and (len(length) > _LONGEST_LENGTH or int(length) > most):
        return problem(413, "too_large", f"A body may have at most {most:,} bytes.")
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        return problem(415, "encoded_body", "A body is read as it is: send it without a Content-Encoding.")
    return None


def without_port(host: str) -> str:
    """The name of a Host header; an IPv6 address keeps its brackets."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() and not name.endswith(":") else host
