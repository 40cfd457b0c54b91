"""An event loop whose time passes only while everything waits: a hang of a minute ends at once, and always alike."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting for a time-out it moves the loop's clock there. For threads that are at work it waits."""

    passed = 0.0
    threads = 0

    def select(self, timeout: float | None = None) -> Any:
        if self.threads and timeout:
            return super().select(None)
        ready = super().select(timeout if timeout is None else 0)
        if not ready and timeout:
            self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """What a thread does takes no time."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return 1_000.0 + self._jumping.passed

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._jumping.threads += 1
        future.add_done_callback(self._one_less)
        return future

    async def shutdown_default_executor(self, *_: Any) -> None:
        """Without a time-out: later Pythons give one, and it would pass at once."""
        await super().shutdown_default_executor()

    def _one_less(self, _: object) -> None:
        self._jumping.threads -= 1


def in_virtual_time(main: Callable[[Callable[[], float]], Coroutine[Any, Any, T]]) -> T:
    """Run `main`, given the clock of its own loop."""
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main(loop.time))
