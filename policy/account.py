"""Cost reserved before a call and settled after it, so that calls in flight never spend the same budget twice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from policy.budget import ModelCall, settle, tokens_spent
from state import Dials, Spent, StopReason


@dataclass(frozen=True)
class Cost:
    """What a call may cost. A kind of which it costs nothing is not held against its budget."""

    searches: int = 0
    model_calls: int = 0
    tokens: int = 0
    tool_calls: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(**{kind.name: getattr(self, kind.name) + getattr(other, kind.name) for kind in fields(Cost)})

    def __sub__(self, other: Cost) -> Cost:
        return Cost(**{kind.name: getattr(self, kind.name) - getattr(other, kind.name) for kind in fields(Cost)})

    def times(self, number: int) -> Cost:
        """What this many such calls cost."""
        return Cost(**{kind.name: getattr(self, kind.name) * number for kind in fields(Cost)})


NOTHING = Cost()


@dataclass(frozen=True)
class Account:
    """What an ask has spent of its limits, and what its calls in flight may still cost."""

    spent: Spent
    limits: Dials
    reserved: Cost = NOTHING

    def lacks(self, cost: Cost, keep: Cost = NOTHING) -> StopReason | None:
        """The stop reason of the first budget that cannot hold `cost` beside all that is spent, reserved and kept."""
        total = _used(self.spent) + self.reserved + cost + keep
        counted = (
            (cost.searches, total.searches, self.limits["max_searches"]),
            (cost.model_calls, total.model_calls, self.limits["max_model_calls"]),
            (cost.tool_calls, total.tool_calls, self.limits["max_tool_calls"]),
        )
        if any(wanted > 0 and all_ > limit for wanted, all_, limit in counted):
            return "call_budget"
        if cost.tokens > 0 and total.tokens > self.limits["max_tokens"]:
            return "token_budget"
        return None

    def affordable(self, cost: Cost, most: int, keep: Cost = NOTHING) -> int:
        """How many calls of this cost there is room for, at most `most`."""
        return next((number for number in range(most, 0, -1) if self.lacks(cost.times(number), keep) is None), 0)

    def reserve(self, cost: Cost) -> Account:
        """The account with a call of this cost in flight. Raises `ValueError` where it lacks the room."""
        if self.lacks(cost) is not None:
            raise ValueError("a call was started that the budget has no room for")
        return replace(self, reserved=self.reserved + cost)

    def settle(self, cost: Cost, calls: Iterable[ModelCall] = (), *, searches: int = 0, tool_calls: int = 0) -> Account:
        """The account when the call that reserved `cost` has ended and cost this instead."""
        spent = settle(self.spent, calls, searches=searches, tool_calls=tool_calls)
        return replace(self, spent=spent, reserved=self.reserved - cost)


def _used(spent: Spent) -> Cost:
    return Cost(spent["searches"], spent["model_calls"], tokens_spent(spent), spent["tool_calls"])
