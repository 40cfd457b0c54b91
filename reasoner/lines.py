"""What this process knows of the endpoints it calls: free places, failures in a row, and what each model takes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from errors import Unavailable
from reasoner.chat_endpoint import USUAL_LIMIT, ChatEndpoint, TokenLimitName

FAILURES: Final = 5
"""In a row, after which an endpoint is left alone."""
REST_S: Final = 30.0
"""How long it is; then one call is let through to see."""

RESTING: Final = "The chat endpoint failed several times in a row and is left alone for half a minute."


class Rung(IntEnum):
    """Ways to ask for a form, the most binding first."""

    JSON_SCHEMA = 0
    FUNCTION = 1
    JSON_MODE = 2
    PLAIN = 3


class Offer(IntEnum):
    """Ways to offer a model tools: that it must call one, that it may, and none at all."""

    REQUIRED = 0
    AUTO = 1
    NONE = 2


@dataclass
class Manners:
    """What was learnt of one model behind one endpoint.

    None is not known: of `stream_options`, whether a stream may be asked for its usage; of `thinks_bare`, whether the
    model's thought comes in the place of the answer and without a beginning. Until it is, an answer is held to its end.
    """

    token_limit_name: TokenLimitName
    token_limit: int
    rung: Rung = Rung.JSON_SCHEMA
    offer: Offer = Offer.REQUIRED
    stream_options: bool | None = None
    temperature: bool = True
    may_think: bool = True
    thinks_bare: bool | None = None
    warned_of_cut: bool = False
    fallbacks: int = 0


class Line:
    """One endpoint: no more calls at a time than it has places, and none while it rests."""

    def __init__(self, places: int, clock: Callable[[], float]) -> None:
        self.waiting = 0
        """Calls that have no place yet."""
        self._places = asyncio.Semaphore(places)
        self._clock = clock
        self._failures = 0
        self._rests_until = 0.0
        self._on_trial = False

    @property
    def down(self) -> str | None:
        """The sentence why no call is made now, None when one may be."""
        return RESTING if self._clock() < self._rests_until else None

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold one of its places. Raises `errors.Unavailable` while the endpoint rests."""
        self._check()
        await self._wait()
        try:
            self._check()  # it may have failed for others while this call waited
            self._on_trial = trying = self._failures >= FAILURES
            try:
                yield
            finally:
                self._on_trial = self._on_trial and not trying
        finally:
            self._places.release()

    def failed(self) -> None:
        """A call got no answer: it was not reached, took too long or failed by itself."""
        self._failures += 1
        if self._failures >= FAILURES:
            self._rests_until = self._clock() + REST_S

    def answered(self) -> None:
        """A call got an answer, be it a refusal."""
        self._failures = 0
        self._rests_until = 0.0
        self._on_trial = False  # a stream holds its place for long after its answer has begun

    async def _wait(self) -> None:
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1

    def _check(self) -> None:
        if self.down or self._on_trial:
            raise Unavailable(RESTING, code="model_resting")


@dataclass
class Lines:
    """All lines of a process, so that two models behind one address share its places and its failures."""

    clock: Callable[[], float] = time.monotonic
    _lines: dict[str, Line] = field(default_factory=dict)
    _manners: dict[tuple[str, str], Manners] = field(default_factory=dict)

    def line(self, endpoint: ChatEndpoint) -> Line:
        """The line of an endpoint; who asks first says how many places it has."""
        return self._lines.setdefault(endpoint.address, Line(endpoint.concurrency, self.clock))

    def manners(self, endpoint: ChatEndpoint) -> Manners:
        """What is known of a model there."""
        unknown = Manners(endpoint.token_limit_name, endpoint.max_tokens or USUAL_LIMIT)
        return self._manners.setdefault((endpoint.address, endpoint.model), unknown)

    @property
    def down(self) -> str | None:
        """The sentence of the first endpoint that rests."""
        return next((line.down for line in self._lines.values() if line.down), None)

    @property
    def waiting(self) -> int:
        """Calls that wait for a place, at all endpoints."""
        return sum(line.waiting for line in self._lines.values())
