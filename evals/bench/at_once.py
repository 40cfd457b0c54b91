"""A chat endpoint on the loopback interface that answers at once: what is left of a call's time is the caller's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

PIECES: Final = 20
"""Pieces of a streamed reply."""
_FRAME: Final[dict[str, Any]] = {"id": "bench", "created": 0, "model": "bench"}


class AtOnce:
    """Speaks as much HTTP as an OpenAI client needs; `says` is the content of every reply."""

    def __init__(self) -> None:
        self.says = ""
        self.url = ""
        self.served: set[asyncio.Task[None]] = set()

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.served.add(asyncio.ensure_future(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The requests of one connection, one after the other."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body: dict[str, Any] = json.loads(await reader.readexactly(_length(head)))
                writer.write(self._streamed() if body.get("stream") else self._whole())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has closed its connection: nothing more is to be answered
        finally:
            writer.close()

    def _whole(self) -> bytes:
        message = {"role": "assistant", "content": self.says}
        usage = {"prompt_tokens": 500, "completion_tokens": 50, "total_tokens": 550}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        reply = {**_FRAME, "object": "chat.completion", "choices": [choice], "usage": usage}
        return _response("application/json", json.dumps(reply).encode())

    def _streamed(self) -> bytes:
        step = -(-len(self.says) // PIECES)
        pieces = [self.says[start : start + step] for start in range(0, len(self.says), step)]
        choices: list[dict[str, Any]] = [
            {"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces
        ]
        choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        frames = (json.dumps({**_FRAME, "object": "chat.completion.chunk", "choices": [one]}) for one in choices)
        return _response("text/event-stream", "".join(f"data: {one}\n\n" for one in (*frames, "[DONE]")).encode())


@asynccontextmanager
async def at_once() -> AsyncIterator[AtOnce]:
    """The endpoint, on the loop that asks it; close the clients first."""
    endpoint = AtOnce()
    server = await asyncio.start_server(endpoint.connected, "127.0.0.1", 0, limit=1 << 20)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield endpoint
    finally:
        server.close()
        await asyncio.gather(*endpoint.served)
        await server.wait_closed()


def _length(head: bytes) -> int:
    fields = (line.partition(b":") for line in head.lower().split(b"\r\n"))
    return next(int(value) for name, _, value in fields if name == b"content-length")


def _response(kind: str, body: bytes) -> bytes:
    return f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
