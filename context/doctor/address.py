"""Whether an endpoint's address is one, and what of it may be shown."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit

from context.doctor.findings import Finding

OPERATIONS: Final = ("/chat/completions", "/completions", "/embeddings", "/models")
"""What the client adds by itself."""


def origin(url: str) -> str:
    """Scheme, host and port: credentials, path and query may hold a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_address(url: str) -> bool:
    """Whether the client can be given this at all."""
    return _wrong(url) is None


def look_at(url: str, setting: str) -> Finding:
    """What is right or wrong with an address, before anything is sent to it."""
    if (wrong := _wrong(url)) is not None:
        return Finding("fail", f"The address {wrong}.", setting, "the provider's address, as https://…/v1")
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    if ends := next((end for end in OPERATIONS if path.endswith(end)), None):
        return Finding(
            "fail", f"The address ends in {ends}, which is added to it.", setting, f"the same without {ends}"
        )
    if parts.query or parts.fragment:
        return Finding("warn", "The address has a query or a fragment.", setting, "the same up to its ?, or its #")
    return Finding("ok", f"The address is well-formed, at {origin(url)}.")


def _wrong(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "cannot be read"
    if parts.scheme not in ("http", "https"):
        return "does not begin with http:// or https://"
    return _wrong_host(parts) if port != 0 else "has a port that is none"


def _wrong_host(parts: SplitResult) -> str | None:
    host = parts.hostname or ""
    return None if host and not any(char.isspace() for char in parts.netloc) else "names no host"
