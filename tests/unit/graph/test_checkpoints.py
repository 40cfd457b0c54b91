"""Writers of the file of threads share one connection: what one of them gives up is no other's loss."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from graph.checkpoints import Threads


class Gate:
    """In the place of a commit: waits, after the statements before it, until it is opened."""

    def __init__(self, threads: Threads) -> None:
        self.reached, self.opened = asyncio.Event(), asyncio.Event()
        self._commit = threads.conn.commit

    async def __call__(self) -> None:
        self.reached.set()
        await self.opened.wait()
        await self._commit()


@pytest.fixture
async def threads(tmp_path: Path) -> AsyncIterator[Threads]:
    async with Threads.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        assert isinstance(saver, Threads)
        await saver.setup()
        yield saver


def place(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}


def put(threads: Threads, thread_id: str) -> "asyncio.Task[RunnableConfig]":
    return asyncio.create_task(threads.aput(place(thread_id), empty_checkpoint(), {}, {}))


async def given_up(task: "asyncio.Task[RunnableConfig]") -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_gives_up_waiting_takes_nothing_back_of_who_writes(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(threads)
    monkeypatch.setattr(threads.conn, "commit", gate)
    writes = put(threads, "writes")
    await gate.reached.wait()
    waits = put(threads, "waits")
    await asyncio.sleep(0)
    await given_up(waits)
    gate.opened.set()
    await writes
    assert await threads.aget_tuple(place("writes")) is not None
    assert await threads.aget_tuple(place("waits")) is None


async def test_what_was_given_up_half_way_is_not_written_with_the_next(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(threads)
    with monkeypatch.context() as patched:
        patched.setattr(threads.conn, "commit", gate)
        half = put(threads, "half")
        await gate.reached.wait()
        following = put(threads, "next")
        gate.opened.set()
        await given_up(half)
        await following
    assert await threads.aget_tuple(place("half")) is None
    assert await threads.aget_tuple(place("next")) is not None
