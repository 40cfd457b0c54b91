"""Who may call an endpoint now, and how many wait for it."""

import asyncio

import pytest

from errors import Unavailable
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.lines import FAILURES, REST_S, Line, Lines


async def test_a_stream_that_has_begun_ends_the_trial() -> None:
    now = 0.0
    line = Line(3, lambda: now)
    for _ in range(FAILURES):
        line.failed()
    now = REST_S
    async with line.place():
        with pytest.raises(Unavailable):
            async with line.place():
                raise AssertionError("two calls try at a time")
        line.answered()
        async with line.place():
            assert line.down is None


async def test_calls_without_a_place_are_counted_until_they_have_one_or_leave() -> None:
    lines = Lines()
    line = lines.line(ChatEndpoint("any", "http://127.0.0.1:1", concurrency=1))

    async def call() -> int:
        async with line.place():
            return lines.waiting

    async with line.place():
        assert lines.waiting == 0
        stays, leaves = asyncio.create_task(call()), asyncio.create_task(call())
        await asyncio.sleep(0)
        assert lines.waiting == 2
        leaves.cancel()
        await asyncio.wait({leaves})
        assert lines.waiting == 1
    assert await stays == 0
