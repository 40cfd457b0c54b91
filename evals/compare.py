"""One mode beside another on the same questions: the gain, how certain it is, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evals.bootstrap import Interval, mean_interval
from evals.holm import adjusted
from evals.measure import ALL
from evals.outcome import mcnemar
from evals.pairing import Group, right, share_right, shared
from evals.price import Price, price
from evals.record import Record

SIGNIFICANT: Final = 0.05


@dataclass(frozen=True)
class Comparison:
    """`other` beside `base` over the same questions.

    `gain` is the difference of the shares that are right, with its paired bootstrap interval. `only_base` and
    `only_other` count the questions that one gets right (or, repeated, right more often) and the other does not; `p` is
    McNemar's exact one of these counts, `adjusted_p` is Holm's among all comparisons it was made with.
    """

    kind: str
    base: str
    other: str
    questions: int
    base_right: float
    other_right: float
    only_base: int
    only_other: int
    gain: Interval
    p: float
    adjusted_p: float
    price: Price

    @property
    def certain(self) -> bool:
        """Whether it is right more often beyond chance: by the interval and by the test, all comparisons counted.

        A few questions that all fall one way have an interval of no width; the test is what knows that they are few.
        """
        return self.gain.low > 0 and self.adjusted_p < SIGNIFICANT

    @property
    def certainly_worse(self) -> bool:
        """The same the other way round."""
        return self.gain.high < 0 and self.adjusted_p < SIGNIFICANT


def compared(base: Sequence[Group], other: Sequence[Group], kind: str = ALL) -> Comparison:
    """The same questions in the same order, at least one."""
    gains = [right(b) - right(a) for a, b in zip(base, other, strict=True)]
    only_base, only_other = sum(gain < 0 for gain in gains), sum(gain > 0 for gain in gains)
    p = mcnemar(only_base, only_other)
    return Comparison(
        kind=kind,
        base=base[0][0].mode,
        other=other[0][0].mode,
        questions=len(gains),
        base_right=share_right(base),
        other_right=share_right(other),
        only_base=only_base,
        only_other=only_other,
        gain=mean_interval(gains),
        p=p,
        adjusted_p=p,
        price=price(base, other),
    )


def family(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """The same, each p adjusted for all that are looked at together."""
    found = list(comparisons)
    return [replace(c, adjusted_p=p) for c, p in zip(found, adjusted([c.p for c in found]), strict=True)]


def beside(records: Iterable[Record], base: str) -> list[Comparison]:
    """Every other mode beside this one, over all questions that both were asked. The records are a part's."""
    return family(compared(*pair) for pair in _pairs(records, base))


def by_kind(records: Iterable[Record], base: str) -> list[Comparison]:
    """The same for each kind of question, where there are several."""
    found = (_kinds(*pair) for pair in _pairs(records, base))
    return family(comparison for kinds in found if len(kinds) > 1 for comparison in kinds)


def _kinds(base: Sequence[Group], other: Sequence[Group]) -> list[Comparison]:
    pairs = list(zip(base, other, strict=True))
    kinds = {kind: [pair for pair in pairs if pair[0][0].kind == kind] for kind in sorted({a[0].kind for a in base})}
    return [compared([a for a, _ in part], [b for _, b in part], kind) for kind, part in kinds.items()]


def _pairs(records: Iterable[Record], base: str) -> Iterator[tuple[list[Group], list[Group]]]:
    known = list(records)
    for mode in dict.fromkeys(record.mode for record in known if record.mode != base):
        both = shared(known, (base, mode))
        if both.get(base) and both.get(mode):
            yield both[base], both[mode]
