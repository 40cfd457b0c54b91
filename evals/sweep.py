"""How right and how costly the loop is at each threshold and number of retries, and where more stops paying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np

from evals.fitting import Numbers
from evals.modes import LOOP
from evals.pairing import Group, share_right, shared
from evals.price import Cost, cost
from evals.record import Record
from evals.variants import Variant, turned

THRESHOLDS: Final = (0.5, 0.6, 0.7, 0.8, 0.9)
RETRIES: Final = (0, 1, 2, 3)
SWEPT: Final = ("threshold", "max_retries")
COSTS: Final = ("tokens", "model_calls", "searches")
"""What the curve is drawn over: the first of these that anything was spent on."""


@dataclass(frozen=True)
class Point:
    """Means of a question at one setting; `spent` is of the cost that the sweep is over."""

    mode: str
    threshold: float
    max_retries: int
    right: float
    spent: float


@dataclass(frozen=True)
class Sweep:
    """`frontier` are the settings that nothing as cheap is more often right than; `knee` is one of them."""

    questions: int
    cost: str
    points: tuple[Point, ...]
    frontier: tuple[Point, ...]
    knee: Point | None


def grid(thresholds: Sequence[float] = THRESHOLDS, retries: Sequence[int] = RETRIES) -> list[str]:
    """The names of the variants to ask in."""
    settings = [(("threshold", threshold), ("max_retries", most)) for threshold in thresholds for most in retries]
    return [Variant(LOOP, dials=dials).name for dials in settings]


def sweep(records: Iterable[Record]) -> Sweep | None:
    """Over the questions that were asked at every point; the records are a part's. None with fewer than two points."""
    known = list(records)
    variants = turned(known, SWEPT)
    asked = shared(known, tuple(variants))
    if len(asked) < 2 or not all(asked.values()):
        return None
    some = next(iter(asked.values()))
    costs = {mode: cost(of) for mode, of in asked.items()}
    paid = _paid(costs.values())
    points = [_point(variants[mode], of, asdict(costs[mode])[paid] / len(of)) for mode, of in asked.items()]
    best = frontier(points)
    place = knee([p.spent for p in best], [p.right for p in best])
    bend = None if place is None else best[place]
    return Sweep(len(some), paid, tuple(points), tuple(best), bend)


def frontier(points: Iterable[Point]) -> list[Point]:
    """Cheapest first; each is more often right than every cheaper one."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.spent, -p.right)):
        if not best or point.right > best[-1].right:
            best.append(point)
    return best


def knee(x: Sequence[float], y: Sequence[float]) -> int | None:
    """The place where a rising curve bends most, None where it does not bend towards less gain.

    Both are scaled to 0..1 and the greatest y - x is the knee (Satopää et al., Finding a “Kneedle” in a Haystack, 2011,
    steps 1 to 3; a frontier has no noise to smooth). The ends are no knees.
    """
    if len(x) < 3:
        return None
    above = _scaled(y) - _scaled(x)
    place = int(np.argmax(above))
    return place if above[place] > 1e-9 else None


def _scaled(values: Sequence[float]) -> Numbers:
    found = np.asarray(values, np.float64)
    return np.asarray((found - found[0]) / (found[-1] - found[0]))


def _paid(costs: Iterable[Cost]) -> str:
    spent = [asdict(one) for one in costs]
    return next((name for name in COSTS if any(one[name] for one in spent)), COSTS[-1])


def _point(at: Variant, groups: Sequence[Group], spent: float) -> Point:
    dials = dict(at.dials)
    return Point(at.name, float(dials["threshold"]), int(dials["max_retries"]), share_right(groups), spent)
