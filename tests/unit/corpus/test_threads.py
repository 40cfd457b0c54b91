"""What was begun in a thread is over before its caller goes on, and what is short leaves others their turn."""

from __future__ import annotations

import asyncio
import threading

import pytest

from corpus.threads import Turns, finished


class Slow:
    """A call that ends when it is let go."""

    def __init__(self, error: Exception | None = None) -> None:
        self.begun, self.go, self.over = threading.Event(), threading.Event(), False
        self.error = error

    def __call__(self, value: int) -> int:
        self.begun.set()
        self.go.wait()
        self.over = True
        if self.error:
            raise self.error
        return value


async def test_it_gives_the_result_and_raises_the_error() -> None:
    assert await finished(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await finished(divmod, 7, 0)


@pytest.mark.parametrize("error", [None, ValueError("of the call")])
async def test_a_caller_that_is_cancelled_twice_still_waits(error: Exception | None) -> None:
    slow = Slow(error)
    waiting = asyncio.create_task(finished(slow, 1))
    await asyncio.to_thread(slow.begun.wait)
    for _ in range(2):
        waiting.cancel()
        await asyncio.sleep(0)
    assert not waiting.done()
    slow.go.set()
    with pytest.raises(asyncio.CancelledError) as raised:
        await waiting
    assert slow.over
    assert raised.value.__cause__ is error


def test_the_end_of_a_program_waits_for_the_thread() -> None:
    slow = Slow()

    async def left_behind() -> None:
        asyncio.get_running_loop().call_later(0.05, slow.go.set)
        leaving.append(asyncio.create_task(finished(slow, 1)))
        await asyncio.to_thread(slow.begun.wait)

    leaving: list[asyncio.Task[int]] = []
    asyncio.run(left_behind())
    assert slow.over
    assert leaving[0].cancelled()


async def test_a_short_call_is_made_where_it_is_asked_for_and_a_long_one_in_a_thread() -> None:
    turns = Turns()
    assert await turns.call(threading.get_ident, short=True) == threading.get_ident()
    assert await turns.call(threading.get_ident, short=False) != threading.get_ident()


async def test_between_two_short_calls_all_else_that_is_ready_has_its_turn() -> None:
    turns, order = Turns(), list[str]()

    async def other() -> None:
        while order.count("call") < 5:
            order.append("other")
            await asyncio.sleep(0)

    calls = (turns.call(lambda: order.append("call"), short=True) for _ in range(5))
    await asyncio.gather(*calls, other())
    assert "call,call" not in ",".join(order)


async def test_a_short_call_that_fails_keeps_nobody_waiting() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError):
        await turns.call(lambda: divmod(1, 0), short=True)
    assert await turns.call(lambda: 1, short=True) == 1
