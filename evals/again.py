"""What searching again brings: the loop and the agent beside modes that look once, on the same questions and budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from evals.bootstrap import mean_interval
from evals.compare import Comparison, compared, family
from evals.measure import ALL
from evals.modes import LOOP, SINGLE
from evals.outcome import mcnemar
from evals.pairing import Group, of_kind, shared
from evals.price import Cost, Price
from evals.record import Record

AGENT: Final = "agent"
AGAIN: Final = (LOOP, AGENT)
ONCE: Final = ("hybrid", "self_query", SINGLE)
"""One good pass, the same with rewritten queries, and a pass that may grade as much as all rounds of the loop."""

Pair = tuple[Sequence[Group], Sequence[Group]]


def overall(records: Iterable[Record]) -> list[Comparison]:
    """Each of `AGAIN` beside each of `ONCE` that was asked. The records are a part's."""
    return family(compared(*pair) for pair in _pairs(list(records)))


def by_kind(records: Iterable[Record]) -> list[Comparison]:
    """The same for each kind of question, where there are several; all of these are counted together."""
    known = list(records)
    kinds = sorted({record.kind for record in known})
    if len(kinds) < 2:
        return []
    return family(_of_kind(pair, kind) for pair in _pairs(known) for kind in kinds if of_kind(pair[0], kind))


def pooled(found: Sequence[Comparison]) -> Comparison:
    """The same two modes over the questions of several sets, each once; at least one comparison.

    The interval is that of questions asked once, whose gain is -1, 0 or 1.
    """
    first = found[0]
    n, lost, won = (sum(of) for of in zip(*((c.questions, c.only_base, c.only_other) for c in found), strict=True))
    gains = [-1.0] * lost + [1.0] * won + [0.0] * (n - lost - won)
    p = mcnemar(lost, won)
    return Comparison(
        kind=ALL,
        base=first.base,
        other=first.other,
        questions=n,
        base_right=sum(c.base_right * c.questions for c in found) / n,
        other_right=sum(c.other_right * c.questions for c in found) / n,
        only_base=lost,
        only_other=won,
        gain=mean_interval(gains),
        p=p,
        adjusted_p=p,
        price=Price(sum(c.price.gained for c in found), _together([c.price.extra for c in found])),
    )


def _together(costs: Sequence[Cost]) -> Cost:
    money = [cost.money for cost in costs if cost.money is not None]
    return Cost(
        searches=sum(cost.searches for cost in costs),
        model_calls=sum(cost.model_calls for cost in costs),
        tokens=sum(cost.tokens for cost in costs),
        money=sum(money) if len(money) == len(costs) else None,
    )


def _of_kind(pair: Pair, kind: str) -> Comparison:
    base, other = (of_kind(groups, kind) for groups in pair)
    return compared(base, other, kind)


def _pairs(records: Sequence[Record]) -> Iterator[Pair]:
    for again in AGAIN:
        for once in ONCE:
            both = shared(records, (once, again))
            if both.get(once) and both.get(again):
                yield both[once], both[again]
