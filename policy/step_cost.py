"""What one step cost: the difference of what its turn had spent before and after it. Pure."""

from __future__ import annotations

from typing import Final, Literal, TypedDict

from state import Spent, Tokens


class StepCost(TypedDict):
    """Of one step, or of one run. `estimated` says whether any of the tokens are our estimate; `cost` is None where no
    price is set."""

    searches: int
    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    estimated: bool
    cost: float | None


def spent_between(before: Spent | None, after: Spent) -> StepCost:
    """The cost of what led from one count to a later one of the same turn; None for a turn that had spent nothing."""
    return {
        "searches": after["searches"] - (before["searches"] if before else 0),
        "model_calls": after["model_calls"] - (before["model_calls"] if before else 0),
        "tool_calls": after["tool_calls"] - (before["tool_calls"] if before else 0),
        "input_tokens": _tokens(after, "input_tokens") - _tokens(before, "input_tokens"),
        "output_tokens": _tokens(after, "output_tokens") - _tokens(before, "output_tokens"),
        "estimated": after["estimated"] != (before["estimated"] if before else _NO_TOKENS),
        "cost": _price(before, after),
    }


_NO_TOKENS: Final[Tokens] = {"input_tokens": 0, "output_tokens": 0}


def _tokens(spent: Spent | None, kind: Literal["input_tokens", "output_tokens"]) -> int:
    if spent is None:
        return 0
    return sum(told[kind] for told in (spent["reported"], spent["estimated"]) if told)


def _price(before: Spent | None, after: Spent) -> float | None:
    """None as soon as one of the models that worked has no price; threads of old do not tell models apart."""
    known = before.get("models", {}) if before else {}
    worked = {name: used for name, used in after.get("models", {}).items() if used != known.get(name)}
    prices = [(used["cost"], known[name]["cost"] if name in known else 0.0) for name, used in worked.items()]
    if not prices or any(now is None for now, _ in prices):
        return None
    return round(sum((now or 0.0) - (then or 0.0) for now, then in prices), 9)
