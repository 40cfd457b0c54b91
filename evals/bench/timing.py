"""Times of repeated calls, and how they compare."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

LEAST: Final = 5
"""Rounds that are made however long they take."""
_SEED: Final = 1


@dataclass(frozen=True)
class Times:
    """Seconds of each call, in the order of the calls."""

    seconds: tuple[float, ...]

    @property
    def p50(self) -> float:
        return float(np.percentile(self.seconds, 50))

    @property
    def p95(self) -> float:
        return float(np.percentile(self.seconds, 95))

    def milliseconds(self) -> dict[str, float]:
        """As results keep it."""
        return {"p50_ms": round(self.p50 * 1000, 3), "p95_ms": round(self.p95 * 1000, 3), "n": len(self.seconds)}

    def __str__(self) -> str:
        return f"p50 {self.p50 * 1000:9.3f} ms   p95 {self.p95 * 1000:9.3f} ms   n {len(self.seconds)}"


def interleaved(calls: Sequence[Callable[[], object]], rounds: int, most_seconds: float = math.inf) -> list[Times]:
    """Time each call once a round, so that what else the machine does hits all of them alike, and in an order that
    differs from round to round: the call after a long one finds the processor's caches full of what that one read.

    After `most_seconds` no round begins, but for the first `LEAST`.
    """
    seconds: list[list[float]] = [[] for _ in calls]
    order = random.Random(_SEED)  # noqa: S311  # chooses nothing that anybody could gain by guessing
    places = list(range(len(calls)))
    begun = time.perf_counter()
    for number in range(rounds):
        if number >= LEAST and time.perf_counter() - begun > most_seconds:
            break
        order.shuffle(places)
        for place in places:
            started = time.perf_counter()
            calls[place]()
            seconds[place].append(time.perf_counter() - started)
    return [Times(tuple(of_call)) for of_call in seconds]


async def interleaved_async(calls: Sequence[Callable[[], Awaitable[object]]], rounds: int) -> list[Times]:
    """`interleaved` for coroutines, one at a time."""
    seconds: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for place, call in enumerate(calls):
            started = time.perf_counter()
            await call()
            seconds[place].append(time.perf_counter() - started)
    return [Times(tuple(of_call)) for of_call in seconds]
