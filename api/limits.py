"""How much one caller may ask at once and in a minute, so that nobody can take the server from the others."""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import Final

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter
from starlette.types import ASGIApp, Receive, Scope, Send

from api.authentication import CALLER, is_open
from api.problems import ProblemResponse, problem

WRONG_KEYS: Final = 30
"""Requests with a wrong key that an address may send in a minute: ten of them a second are guessing."""


class Rate:
    """Requests a minute, counted in windows of a minute that begin with the first request."""

    def __init__(self) -> None:
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    async def take(self, name: str, most: int) -> float | None:
        """Count a request. None while the limit is kept, else the seconds until there is room again."""
        item = RateLimitItemPerMinute(most)
        if await self._limiter.hit(item, name):
            return None
        return max(0.0, (await self._limiter.get_window_stats(item, name)).reset_time - time.time())

    async def refuse_guessing(self, address: str) -> ProblemResponse | None:
        """Count a wrong key; the answer to an address that sent too many."""
        wait = await self.take(f"wrong {address}", WRONG_KEYS)
        return None if wait is None else too_many("Too many requests with a wrong API key; wait a minute.", wait)


class Limits:
    """Answers 429 to a caller over its limits, before the body is read. What runs counts until its last byte is out."""

    def __init__(self, app: ASGIApp, *, rate: Rate, per_minute: int, open_each: int, open_all: int) -> None:
        self.app = app
        self._rate = rate
        self._per_minute = per_minute
        self._open_each, self._open_all = open_each, open_all
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_open(scope["path"]):
            await self.app(scope, receive, send)
            return
        caller = scope[CALLER]
        refusal = self._refused_open(caller) or await self._refused_rate(caller)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._open[caller] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._open[caller] -= 1
            if not self._open[caller]:
                del self._open[caller]

    def _refused_open(self, caller: str) -> ProblemResponse | None:
        if self._open[caller] >= self._open_each:
            return too_many(f"At most {self._open_each:,} requests of a caller run at a time; wait for one to end.", 1)
        if self._open.total() >= self._open_all:
            return too_many("The server is busy with other requests; try again in a moment.", 1)
        return None

    async def _refused_rate(self, caller: str) -> ProblemResponse | None:
        wait = await self._rate.take(caller, self._per_minute)
        return None if wait is None else too_many(f"At most {self._per_minute:,} requests a minute are taken.", wait)


def too_many(sentence: str, wait_s: float) -> ProblemResponse:
    """429, with the seconds after which to try again."""
    headers = {"Retry-After": str(max(1, math.ceil(wait_s)))}
    return problem(429, "too_many", sentence, headers=headers, retryable=True)
