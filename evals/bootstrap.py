"""Bootstrap intervals of a mean: how much it would vary over other questions like these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

RESAMPLES: Final = 10_000
SEED: Final = 7
LEVEL: Final = 0.95
_CELLS: Final = 2_000_000
"""Draws held at once: 16 MB, however many questions there are."""


@dataclass(frozen=True)
class Interval:
    """A mean with the bounds between which it lies in `LEVEL` of the resamples."""

    mean: float
    low: float
    high: float


def mean_interval(
    values: Sequence[float], *, seed: int = SEED, resamples: int = RESAMPLES, level: float = LEVEL
) -> Interval:
    """The percentile interval (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, chapter 13).

    Give the difference of each pair for a paired interval: drawing a question draws both of its outcomes. There must
    be a value. The same values, seed and resamples give the same bounds.
    """
    found = np.asarray(values, np.float64)
    rng = np.random.default_rng(seed)
    at_once = max(1, _CELLS // len(found))
    sizes = [min(at_once, resamples - done) for done in range(0, resamples, at_once)]
    means = np.concatenate([found[rng.integers(0, len(found), (size, len(found)))].mean(axis=1) for size in sizes])
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(found.mean()), float(low), float(high))
