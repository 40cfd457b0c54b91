"""What each question costs that one mode gets right and another does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Final

from evals.overview import NOTHING
from evals.pairing import Group, right
from evals.record import Record

NO_GAIN: Final = "no gain"
NO_MORE: Final = "costs no more"


@dataclass(frozen=True)
class Cost:
    """What questions took together, each once; `money` is None where a model without a price was called.

    Offline there are no model calls and no tokens: searches are what is paid with.
    """

    searches: float
    model_calls: float
    tokens: float
    money: float | None

    def minus(self, other: Cost) -> Cost:
        """How much more this is; less is negative."""
        money = None if self.money is None or other.money is None else self.money - other.money
        return Cost(
            self.searches - other.searches, self.model_calls - other.model_calls, self.tokens - other.tokens, money
        )


@dataclass(frozen=True)
class Price:
    """How many questions more are right, and what was spent more for all of them; either may be negative."""

    gained: float
    extra: Cost

    def each(self, spent: str) -> float | None:
        """Of this cost for each question that is right more; None when none is, or when the cost is not known.

        What is better and cheaper costs nothing: a price is never negative.
        """
        more: float | None = asdict(self.extra)[spent]
        return None if more is None or self.gained <= 0 else max(0.0, more) / self.gained

    def told(self, spent: str, written: str = ",.1f") -> str:
        """The same in words, as a table has it."""
        if self.gained <= 0:
            return NO_GAIN
        found = self.each(spent)
        if found is None:
            return NOTHING
        return format(found, written) if found else NO_MORE


def cost(groups: Sequence[Group]) -> Cost:
    """All questions together."""
    monies = [_mean(group, lambda r: r.cost or 0.0) for group in groups]
    known = all(record.cost is not None for group in groups for record in group)
    return Cost(
        searches=sum(_mean(group, lambda r: r.searches) for group in groups),
        model_calls=sum(_mean(group, lambda r: r.model_calls) for group in groups),
        tokens=sum(_mean(group, lambda r: r.tokens) for group in groups),
        money=sum(monies) if known else None,
    )


def price(base: Sequence[Group], other: Sequence[Group]) -> Price:
    """Of the other mode over the base; both must be of the same questions."""
    return Price(sum(map(right, other)) - sum(map(right, base)), cost(other).minus(cost(base)))


def _mean(group: Iterable[Record], of: Callable[[Record], float]) -> float:
    return fmean(map(of, group))
