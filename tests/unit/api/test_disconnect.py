import asyncio
from typing import Any

import pytest

from api.disconnect import until_gone


async def stays() -> dict[str, Any]:
    await asyncio.Event().wait()
    return {}


async def test_work_is_done_while_the_client_stays() -> None:
    async def work() -> int:
        return 42

    assert await until_gone(stays, work()) == 42


async def test_a_client_that_leaves_ends_the_work_and_its_clean_up_runs() -> None:
    started, cleaned = asyncio.Event(), asyncio.Event()

    async def work() -> int:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()
        return 42

    async def leaves() -> dict[str, Any]:
        await started.wait()
        return {"type": "http.disconnect"}

    assert await until_gone(leaves, work()) is None
    assert cleaned.is_set()


async def test_what_the_work_raises_is_raised() -> None:
    async def work() -> None:
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        await until_gone(stays, work())


async def test_being_cancelled_cancels_the_work() -> None:
    started, cleaned = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    outer = asyncio.create_task(until_gone(stays, work()))
    await started.wait()
    outer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await outer
    assert cleaned.is_set()
