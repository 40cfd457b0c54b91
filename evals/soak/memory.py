"""How much memory a process holds, second by second, and how fast that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final

import numpy as np

from errors import BadRequest

MB: Final = 1024 * 1024
_NAMES: Final = {"VmRSS": "resident", "RssAnon": "anonymous"}


@dataclass(frozen=True)
class Sample:
    """Bytes that are resident, those of them that are no file's, and how many asks there had been by then."""

    at_s: float
    resident: int
    anonymous: int
    asks: int


def resident(pid: int) -> dict[str, int]:
    """Bytes by kind. Raises `BadRequest` where the kernel does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.is_file():
        raise BadRequest("Memory is read from /proc, which only Linux has.")
    fields = dict(line.split(":", 1) for line in status.read_text("ascii").splitlines())
    return {ours: int(fields[theirs].split()[0]) * 1024 for theirs, ours in _NAMES.items()}


def sampled(pid: int, seconds: float, asks: Callable[[], int], tick: Callable[[int], None]) -> list[Sample]:
    """One sample a second."""
    begun, samples, never = time.monotonic(), list[Sample](), Event()
    while (now := time.monotonic() - begun) < seconds:
        samples.append(Sample(now, **resident(pid), asks=asks()))
        tick(int(now))
        never.wait(1.0)
    return samples


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between all pairs of points, which single leaps do not move: Theil, 1950, and Sen, JASA
    63 (1968)."""
    x, y = np.array(points, float).T
    first, second = np.triu_indices(len(x), 1)
    return float(np.median((y[second] - y[first]) / (x[second] - x[first])))


def growth(samples: Sequence[Sample]) -> float:
    """Resident megabytes a minute."""
    return slope([(sample.at_s, sample.resident) for sample in samples]) * 60 / MB
