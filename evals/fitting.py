"""Fits the constants of a grade to labelled passages: pure functions over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from errors import Unavailable

Numbers = NDArray[np.float64]

REFUSED: Final = 0.9
"""Of the questions whose passage is not there, at least so many have to fail."""
RIDGE: Final = 1e-4


@dataclass(frozen=True)
class Sample:
    """One question's candidates, a value each; `gold` is empty for a question that nothing answers."""

    cosines: Numbers
    covered: Numbers
    gold: NDArray[np.bool_]

    @property
    def answerable(self) -> bool:
        return bool(self.gold.any())

    def without_gold(self) -> Sample:
        """The question as it would be asked if what answers it were not there."""
        return Sample(self.cosines[~self.gold], self.covered[~self.gold], self.gold[~self.gold])


Grade = Callable[[Numbers, Numbers], Numbers]
"""From cosines and coverages to grades."""


def logistic(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)), np.float64)


def weights(sets: Sequence[Sequence[Sample]]) -> tuple[float, float, float]:
    """Logistic weights of cosine and coverage, neither negative, and the intercept; classes and sets count alike.

    Raises `errors.Unavailable` where scipy is not installed.
    """
    x, y, w = (np.concatenate(parts) for parts in zip(*map(_rows, sets), strict=True))
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scaled = (x - mean) / scale

    def loss(b: Numbers) -> tuple[float, Numbers]:
        margin = np.where(y, 1.0, -1.0) * (scaled @ b[:2] + b[2])
        pull = -w * np.where(y, 1.0, -1.0) * logistic(-margin)
        slope = np.append(scaled.T @ pull + 2 * RIDGE * b[:2], pull.sum())
        return float((w * np.logaddexp(0, -margin)).sum() + RIDGE * (b[:2] ** 2).sum()), slope

    try:
        from scipy.optimize import minimize
    except ModuleNotFoundError as error:
        raise Unavailable(
            "Fitting needs scipy, which is part of the development environment (make .venv/.dev)."
        ) from error
    found = minimize(loss, np.zeros(3), jac=True, bounds=[(0, None), (0, None), (None, None)]).x
    by_cosine, by_coverage = found[:2] / scale
    return float(by_cosine), float(by_coverage), float(found[2] - found[:2] / scale @ mean)


def _rows(samples: Sequence[Sample]) -> tuple[Numbers, NDArray[np.bool_], Numbers]:
    x = np.column_stack([np.concatenate([getattr(s, name) for s in samples]) for name in ("cosines", "covered")])
    y = np.concatenate([s.gold for s in samples])
    return x, y, np.where(y, 0.5 / y.sum(), 0.5 / (~y).sum())


def passed(samples: Sequence[Sample], grade: Grade, threshold: float) -> float:
    """The share of questions whose best candidate reaches the threshold; NaN without questions."""
    best = [grade(s.cosines, s.covered).max(initial=0.0) for s in samples]
    return float(np.mean([value >= threshold for value in best])) if best else float("nan")


def absent(samples: Sequence[Sample]) -> list[Sample]:
    """The questions that nothing answers; of a set without any, all as they would be with their passage taken away."""
    return [s for s in samples if not s.answerable] or [s.without_gold() for s in samples]


def loosest(
    grades: Sequence[Grade], present: Sequence[Sequence[Sample]], clean: Sequence[Sequence[Sample]], threshold: float
) -> int:
    """The place of the grade that lets most answerable questions of the sets `present` pass, each set alike, and yet
    fails nine of ten questions of the sets `clean` whose passage is absent."""

    def value(grade: Grade) -> float:
        if np.mean([1 - passed(absent(samples), grade, threshold) for samples in clean]) < REFUSED:
            return -1.0
        return float(np.mean([passed([s for s in p if s.answerable], grade, threshold) for p in present]))

    return int(np.argmax([value(grade) for grade in grades]))
