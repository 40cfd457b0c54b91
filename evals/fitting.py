"""Fits the constants of a grade to labelled passages: pure functions over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

REFUSED: Final = 0.9
"""Of the questions whose passage is not there, at least so many have to fail."""
RIDGE: Final = 1e-4
STEPS: Final = 100
SMALL: Final = 1e-9


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
    """Logistic weights of cosine and coverage, neither negative, and the intercept; classes and sets count alike."""
    x, y, w = (np.concatenate(parts) for parts in zip(*map(_rows, sets), strict=True))
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scaled = (x - mean) / scale
    found = _newton(scaled, y, w, np.array([True, True]))
    if (found[:2] < 0).any():
        found = _newton(scaled, y, w, found[:2] >= 0)
    by_cosine, by_coverage = found[:2] / scale
    return float(by_cosine), float(by_coverage), float(found[2] - found[:2] / scale @ mean)


def _newton(x: Numbers, y: NDArray[np.bool_], w: Numbers, used: NDArray[np.bool_]) -> Numbers:
    """Weights of the columns in use, 0 for the others, and the intercept: Newton's method for logistic regression."""
    rows = np.column_stack([x * used, np.ones(len(x))])
    ridge = np.diag([2 * RIDGE, 2 * RIDGE, 1e-12])
    b = np.zeros(3)
    for _ in range(STEPS):
        p = logistic(rows @ b)
        step = np.linalg.solve((rows * (w * p * (1 - p))[:, None]).T @ rows + ridge, rows.T @ (w * (y - p)) - ridge @ b)
        b += step
        if np.abs(step).max() < SMALL:
            break
    return b


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
