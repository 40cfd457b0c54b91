"""An app served on the loopback interface from this process: in the foreground, or beside what else it does."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event
from typing import Final

import uvicorn
from fastapi import FastAPI

from errors import Conflict

Drain = Callable[[], Awaitable[None]]

GRACE_S: Final = 2
"""How long open connections may take to close when no run works any more, in seconds."""

STALLED_S: Final = 60
"""After how long without taking a byte that waits for it a client has left, in seconds; nginx waits as long."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on; port 0 picks a free one. Raises `Conflict` when it is not free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host.strip("[]"), port), family=family)
    except OSError as exc:
        raise Conflict(f"Port {port} cannot be listened on; another program may have it.") from exc
    if sys.platform == "linux":  # every connection inherits it; elsewhere one that stalls stays open
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_S * 1000)
    return listener


def address_at(host: str, port: int) -> str:
    """The URL of a server at this host and port; an IPv6 address goes into brackets."""
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def serving(app: FastAPI, listener: socket.socket, drain: Drain | None = None) -> Iterator[Future[None]]:
    """Serve in a thread for as long as the block lasts; the future ends when the server does.

    `drain` is waited for when the block ends, while connections are still taken: it lets work finish.

    Raises what the app's lifespan raises.
    """
    server = _Server(app, listener, drain)
    with listener, ThreadPoolExecutor(1, "gapseek-server") as pool:
        try:
            running = pool.submit(asyncio.run, server.run())
            running.add_done_callback(lambda _: server.opened.set())
            server.opened.wait()
            if running.done():
                running.result()
            yield running
        finally:
            server.stop()


class _Server:
    """One app on one socket, to be stopped from another thread."""

    def __init__(self, app: FastAPI, listener: socket.socket, drain: Drain | None) -> None:
        config = uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,  # its lines go where all others go; one a request is ours (api/observed.py)
            log_level="warning",
            access_log=False,
            proxy_headers=False,  # whom to believe is a setting of the app
            timeout_graceful_shutdown=GRACE_S,
        )
        self._app = app
        self._listener = listener
        self._drain = drain
        self._server = uvicorn.Server(config)
        self._cancel: Callable[[], object] = lambda: None
        self._end: Callable[[], object] = lambda: None
        self.opened = Event()

    async def run(self) -> None:
        """The lifespan is entered here and not by uvicorn, which would log a stack for what should be one sentence."""
        if task := asyncio.current_task():
            self._cancel = partial(task.get_loop().call_soon_threadsafe, task.cancel)
        ending = asyncio.Event()
        self._end = partial(asyncio.get_running_loop().call_soon_threadsafe, ending.set)
        async with self._app.router.lifespan_context(self._app):
            self.opened.set()
            drained = asyncio.create_task(self._drained(ending))
            await self._server.serve(sockets=[self._listener])
            drained.cancel()
            await asyncio.gather(drained, return_exceptions=True)

    async def _drained(self, ending: asyncio.Event) -> None:
        """Once told to end: connections are taken until no run works any more, and told what is going on."""
        await ending.wait()
        try:
            if self._drain is not None:
                await self._drain()
        finally:
            self._server.should_exit = True

    def stop(self) -> None:
        """Let what runs finish; while the lifespan is still opening, give that up."""
        with suppress(RuntimeError):  # its loop has ended, and with it all that there is to stop
            if self.opened.is_set():
                self._end()
            else:
                self._server.should_exit = True
                self._cancel()
