"""Connections to an endpoint: finite in time and size, and to no other address."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from typing import Final
from urllib.parse import unquote, urlsplit

import httpx2
import openai
from pydantic import SecretStr

from errors import GapseekError

OPENAI: Final = "https://api.openai.com/v1"

NO_KEY: Final = SecretStr("none")
"""Sent where no key is set: without one, the client would send the environment's OPENAI_API_KEY to any address."""

LOOPBACK: Final = ("all://localhost", "all://127.0.0.1", "all://[::1]")
"""Reached without the environment's proxy, which would look for the server on its own machine."""


def http_client(
    timeout_s: float, connect_timeout_s: float, largest: int, endless: Callable[[], GapseekError]
) -> httpx2.AsyncClient:
    """`endless` makes the error in which a reply of more than `largest` bytes ends.

    A redirect could carry texts to another host, so none is followed.
    """
    timeout = httpx2.Timeout(timeout_s, connect=min(connect_timeout_s, timeout_s))
    client = openai.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False, mounts=dict.fromkeys(LOOPBACK))

    async def limit_size(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Counted(response.stream, largest, endless)

    client.event_hooks["response"].append(limit_size)
    return client


def without_credentials(url: str) -> tuple[str, dict[str, str]]:
    """The address without its `user:password@`, which HTTP clients write into their logs, and the header instead."""
    parts = urlsplit(url)
    if parts.username is None:
        return url, {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return bare.geturl(), {"Authorization": "Basic " + b64encode(pair.encode()).decode()}


class _Counted(httpx2.AsyncByteStream):
    """A body that ends in an error once it is too large to be a reply."""

    def __init__(self, stream: httpx2.AsyncByteStream, largest: int, endless: Callable[[], GapseekError]) -> None:
        self._stream = stream
        self._largest = largest
        self._endless = endless

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for piece in self._stream:
            read += len(piece)
            if read > self._largest:
                raise self._endless()
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
