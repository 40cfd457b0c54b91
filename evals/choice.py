"""Which mode to take: the cheapest that no other one is better than for certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import combinations

from evals.compare import Comparison, compared, family
from evals.pairing import Group
from evals.price import Cost, cost


@dataclass(frozen=True)
class Choice:
    """`mode` is the one to take; `beaten` holds, for each mode that another one is better than, that comparison."""

    mode: str
    beaten: Mapping[str, Comparison]


def choose(asked: Mapping[str, Sequence[Group]]) -> Choice:
    """Of modes asked the same questions, at least one of each. Any two are compared, and all of these are counted.

    Not being told apart is no proof of being equal: with few questions the cheapest mode wins for want of evidence.
    """
    beaten = {}
    for pair in family(compared(asked[first], asked[second]) for first, second in combinations(asked, 2)):
        if pair.certain:
            beaten[pair.base] = pair
        elif pair.certainly_worse:
            beaten[pair.other] = pair
    left = [mode for mode in asked if mode not in beaten]
    return Choice(min(left, key=lambda mode: _paid(cost(asked[mode]))), beaten)


def _paid(spent: Cost) -> tuple[float, ...]:
    """Money where it is known, then tokens, calls and searches."""
    searches, calls, tokens, money = astuple(spent)
    return (money or 0.0, tokens, calls, searches)
