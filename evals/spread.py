"""How far repeats of the same measurement lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev


@dataclass(frozen=True)
class Spread:
    """`deviation` is the sample standard deviation, None of a single repeat."""

    mean: float
    deviation: float | None
    least: float
    most: float


def spread(values: Sequence[float]) -> Spread | None:
    """Of one value a repeat; None without any."""
    if not values:
        return None
    return Spread(fmean(values), stdev(values) if len(values) > 1 else None, min(values), max(values))
