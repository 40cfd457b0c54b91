"""An event loop whose time passes only while everything waits: a hang of a minute ends at once, and always alike."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting for a time-out it moves the loop's clock there. Without one it waits, as for a thread."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(timeout if timeout is None else 0)
        if not ready and timeout:
            self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Use it only with code that starts no thread while a time-out is running."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return 1_000.0 + self._jumping.passed


def in_virtual_time(main: Callable[[Callable[[], float]], Coroutine[Any, Any, T]]) -> T:
    """Run `main`, given the clock of its own loop."""
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main(loop.time))
