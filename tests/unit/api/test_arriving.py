import asyncio
from collections.abc import Iterable

import pytest
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from api import arriving
from api.arriving import limited


def coming(messages: Iterable[Message]) -> Receive:
    """These messages, and after them nothing, ever."""
    left = iter(messages)

    async def receive() -> Message:
        for message in left:
            return message
        await asyncio.Event().wait()
        raise AssertionError

    return receive


def piece(body: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_a_body_that_grows_over_its_limit_is_413() -> None:
    receive = limited(coming([piece(b"12345", more=True), piece(b"6", more=True)]), 5)
    assert (await receive())["body"] == b"12345"
    with pytest.raises(HTTPException) as raised:
        await receive()
    assert raised.value.status_code == 413


async def test_a_body_that_falls_silent_is_408(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "WAIT_S", 0.01)
    receive = limited(coming([piece(b"1", more=True)]), 5)
    await receive()
    with pytest.raises(HTTPException) as raised:
        await receive()
    assert raised.value.status_code == 408


async def test_after_its_body_a_client_may_be_silent_for_as_long_as_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "WAIT_S", 0.01)
    receive = limited(coming([piece(b"1", more=False)]), 5)
    await receive()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(receive(), 0.1)
