"""Serving from this process: the app answers inside the block, and is wholly gone after it."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from api.client import Client
from api.local import address_at, listen, serving
from errors import Conflict, Unavailable


def an_app(happened: list[str], fails: bool = False) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if fails:
            raise Conflict("Another process owns this data folder.")
        happened.append("opened")
        yield
        happened.append("closed")

    app = FastAPI(lifespan=lifespan)
    app.add_api_route("/health", lambda: {"open": happened == ["opened"]})
    return app


def here(listener: socket.socket) -> str:
    return address_at(*listener.getsockname())


def test_the_app_answers_in_the_block_and_its_lifespan_ends_with_it() -> None:
    happened: list[str] = []
    listener = listen("127.0.0.1", 0)
    address = here(listener)
    with serving(an_app(happened), listener), Client.at(address) as client:
        assert client.call("GET", "/health") == {"open": True}
    assert happened == ["opened", "closed"]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("gapseek-server")]
    with Client.at(address) as late, pytest.raises(Unavailable):
        late.call("GET", "/health")


def test_what_the_lifespan_raises_is_raised_here() -> None:
    listener = listen("127.0.0.1", 0)
    with pytest.raises(Conflict, match="owns this data folder"), serving(an_app([], fails=True), listener):
        pytest.fail("the block was entered")
    assert listener.fileno() == -1


def test_a_failing_block_still_stops_the_server() -> None:
    happened: list[str] = []
    with pytest.raises(ZeroDivisionError), serving(an_app(happened), listen("127.0.0.1", 0)):
        raise ZeroDivisionError
    assert happened == ["opened", "closed"]


def test_a_server_that_is_still_opening_is_given_up() -> None:
    happened: list[str] = []
    main = threading.get_ident()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.sleep(0.1)  # until the main thread waits
        signal.pthread_kill(main, signal.SIGINT)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            happened.append("given up")
            raise
        yield

    with pytest.raises(KeyboardInterrupt), serving(FastAPI(lifespan=lifespan), listen("127.0.0.1", 0)):
        pytest.fail("the block was entered")
    assert happened == ["given up"]


def test_a_port_that_is_taken_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Conflict, match=f"Port {port}"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_an_ipv6_address_is_written_in_brackets(host: str) -> None:
    assert address_at(host, 8765) == "http://[::1]:8765"


def test_ipv6_is_served_too() -> None:
    try:
        listener = listen("::1", 0)
    except Conflict:
        pytest.skip("this machine has no IPv6 loopback")
    address = address_at("::1", listener.getsockname()[1])
    with serving(an_app([]), listener), Client.at(address) as client:
        assert client.call("GET", "/health") == {"open": True}
