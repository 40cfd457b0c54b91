"""Vectors that are made later: a store that fails is tried again, and what ends the task is heard of."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, cast

import pytest

from corpus import catching_up
from corpus.catching_up import CatchingUp
from corpus.derived import Derived
from corpus.store.faults import full
from corpus.store.missing import Missing
from corpus.writer import Writer
from errors import Unavailable

AWAY = Unavailable("The embedder does not answer.")


class Fake:
    """Writer, what is missing, and what is derived, in one; each step of a script is raised or given."""

    def __init__(self, completing: list[Any], reading: list[Any]) -> None:
        self._completing, self._reading = iter(completing), iter(reading)
        self.refreshed: list[Any] = []

    async def complete(self) -> None:
        _given(next(self._completing, None))

    def documents(self) -> Any:
        return _given(next(self._reading))

    def record(self) -> None: ...

    def filled(self, tenant: str) -> None: ...

    async def refresh(self, tenant: str, doc_ids: Any) -> None:
        self.refreshed.append((tenant, doc_ids))


def _given(step: Any) -> Any:
    if isinstance(step, Exception):
        raise step
    return step


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110  # nothing else tells
            await asyncio.sleep(0)


def over(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> CatchingUp:
    monkeypatch.setattr(catching_up, "DELAY_S", 0.0)
    return CatchingUp(cast(Writer, fake), cast(Missing, fake), cast(Derived, fake), asyncio.Lock())


async def test_a_store_that_could_not_be_read_once_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake([AWAY], [full(), {"default": {"a"}}])
    catching = over(fake, monkeypatch)
    await catching.start()
    await until(lambda: catching.sentence is None)
    await catching.stop()
    assert fake.refreshed == [("default", {"a"})]


async def test_what_ends_it_too_early_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    catching = over(Fake([AWAY], [RuntimeError("broken")]), monkeypatch)
    await catching.start()
    await until(lambda: any(record.levelno == logging.ERROR for record in caplog.records))
    await catching.stop()
    assert catching.sentence
    assert "not made before the next start" in caplog.text
