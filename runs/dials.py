"""The dials of one ask: the deployment's, with what the caller lowered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from errors import BadRequest
from policy.budget import BUDGETS
from state import Dials

THRESHOLDS: Final = (0.5, 1.0)
"""Evidence begins at 0.5 (DESIGN, section 1), so no lower threshold means anything."""

_MAY_BE_ZERO: Final = ("max_retries",)


def lowered(ceiling: Dials, budget: Mapping[str, Any]) -> Dials:
    """The ceiling with the caller's budget put in.

    Raises `BadRequest` on an unknown name, a value that is no positive number, and a value over the ceiling: to cap it
    silently would answer another question than the one that was asked.
    """
    for name, value in budget.items():
        if name not in BUDGETS:
            raise BadRequest(f"'{name}' is no budget; these are: {', '.join(BUDGETS)}.")
        _check(name, value, cast(dict[str, float], ceiling)[name])
    return cast(Dials, {**ceiling, **budget})


def budget_of(dials: Dials) -> dict[str, float]:
    """What an ask may spend, by the names that a caller may lower."""
    return {name: cast(dict[str, float], dials)[name] for name in BUDGETS}


def turned(dials: Dials, changes: Mapping[str, Any], ceiling: Dials) -> Dials:
    """A replay's dials: the recorded run's with changes, every budget within today's ceiling.

    Beside the budgets, `threshold` (0.5 to 1) and `top_k` may change. Raises `BadRequest`.
    """
    allowed = (*BUDGETS, "threshold", "top_k")
    for name, value in changes.items():
        if name not in allowed:
            raise BadRequest(f"'{name}' is no dial that a replay may change; these are: {', '.join(allowed)}.")
        if name == "threshold":
            _check_threshold(value)
        else:
            _check(name, value, cast(dict[str, float], ceiling)[name])
    capped = {name: min(cast(dict[str, Any], dials)[name], cast(dict[str, Any], ceiling)[name]) for name in BUDGETS}
    return cast(Dials, {**dials, **capped, **changes})


def _check(name: str, value: Any, limit: float) -> None:
    whole = isinstance(limit, int)
    least = "0 or more" if name in _MAY_BE_ZERO else "more than 0"
    if not _is_number(value) or (whole and not isinstance(value, int)):
        raise BadRequest(f"'{name}' must be a {'whole ' if whole else ''}number.")
    if value < 0 or (value == 0 and name not in _MAY_BE_ZERO):
        raise BadRequest(f"'{name}' must be {least}.")
    if value > limit:
        raise BadRequest(f"'{name}' may be lowered but not raised: at most {limit:g} here.")


def _check_threshold(value: Any) -> None:
    low, high = THRESHOLDS
    if not _is_number(value) or not low <= value <= high:
        raise BadRequest(f"'threshold' must be a number from {low:g} to {high:g}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
