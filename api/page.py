"""`/` and `/web/…`: the page, whose files are read once and may load nothing but what this server serves."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""Served by these alone: a machine's own table of types may call JavaScript plain text, and no browser runs that."""

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""No inline script or style, no frame around it, nothing loaded from elsewhere; a browser asks what changed."""

router = APIRouter(include_in_schema=False)


FOLDER: Final = Path(__file__).parent.parent / "web"


def _read() -> dict[str, tuple[bytes, dict[str, str]]]:
    """Every file of `web/` that a browser asks for, by name: its bytes, and the headers that go with them."""
    found = {}
    for file in FOLDER.iterdir():
        media_type = _TYPES.get(file.suffix[1:])
        if media_type is not None:
            content = file.read_bytes()
            tag = f'"{sha256(content).hexdigest()[:16]}"'
            found[file.name] = content, {**HEADERS, "Content-Type": media_type, "ETag": tag}
    return found


FILES: Final = _read()


@router.api_route("/", methods=["GET", "HEAD"])
def get_page(request: Request) -> Response:
    """The page. It needs no key: what it then asks for does."""
    return _served("index.html", request)


@router.api_route("/web/{name}", methods=["GET", "HEAD"])
def get_file(name: str, request: Request) -> Response:
    """A module, style or picture of the page."""
    return _served(name, request)


def _served(name: str, request: Request) -> Response:
    if name not in FILES:
        raise HTTPException(404)
    content, headers = FILES[name]
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers)
