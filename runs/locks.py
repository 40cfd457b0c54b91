"""One run per thread at a time, within this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from errors import Conflict


class ThreadLocks:
    """Knows which run holds which thread. Nobody waits: a second run of a thread is refused."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}

    @contextmanager
    def hold(self, thread_id: str, run_id: str) -> Iterator[None]:
        """Keep the thread for this run. Raises `Conflict`, which names the run that has it."""
        holder = self._running.setdefault(thread_id, run_id)
        if holder != run_id:
            raise Conflict(f"This thread is busy with run {holder}; try again when that has ended.", code="thread_busy")
        try:
            yield
        finally:
            del self._running[thread_id]

    def running(self, thread_id: str) -> str | None:
        """The run that holds this thread, None when it is idle."""
        return self._running.get(thread_id)
