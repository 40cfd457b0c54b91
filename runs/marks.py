"""Which request, run and thread the code at work belongs to: what log lines are found by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

REQUEST: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)
RUN: Final[ContextVar[str | None]] = ContextVar("run_id", default=None)
THREAD: Final[ContextVar[str | None]] = ContextVar("thread_id", default=None)


def marks() -> dict[str, str]:
    """Those that are known here, by name."""
    return {mark.name: value for mark in (REQUEST, RUN, THREAD) if (value := mark.get()) is not None}


@contextmanager
def marked(request_id: str) -> Iterator[None]:
    """Meanwhile this is the request at work; whatever run it begins is marked by that, and no longer afterwards."""
    before = [(mark, mark.set(value)) for mark, value in ((REQUEST, request_id), (RUN, None), (THREAD, None))]
    try:
        yield
    finally:
        for mark, token in before:
            mark.reset(token)
