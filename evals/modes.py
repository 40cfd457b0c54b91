"""Positions of the switch that are compared: every built mode, and two of the loop that a mode alone does not give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from errors import BadRequest
from runs import engine
from state import Dials, Mode

LOOP: Final = "loop"
FIRST: Final = "first_round"
SINGLE: Final = "one_pass"


def as_deployed(dials: Dials) -> Dials:
    """The deployment's dials."""
    return dials


def first_round(dials: Dials) -> Dials:
    """The loop as it is, but for its later rounds."""
    return {**dials, "max_retries": 0}


def one_pass(dials: Dials) -> Dials:
    """No round after the first, which may keep and grade as much as all the loop's rounds together.

    Searches, model calls, tokens and deadline of an ask stay as they are: the loop has no more of them either.
    """
    rounds = dials["max_retries"] + 1
    more = {name: rounds * cast(dict[str, int], dials)[name] for name in _A_ROUND}
    return cast(Dials, {**first_round(dials), **more})


@dataclass(frozen=True)
class Position:
    """The mode of an ask, and what is made of the deployment's dials."""

    mode: Mode
    dials: Callable[[Dials], Dials] = as_deployed


_A_ROUND: Final = ("top_k", "grades_per_sub_question", "grades_per_round")
EQUAL_BUDGET: Final = {FIRST: Position(LOOP, first_round), SINGLE: Position(LOOP, one_pass)}
POSITIONS: Final[dict[str, Position]] = {mode: Position(mode) for mode in engine.MODES} | EQUAL_BUDGET
"""Each by the name that a record has as its mode."""


def chosen(names: str | None, otherwise: tuple[str, ...] = tuple(POSITIONS)) -> tuple[str, ...]:
    """The positions of `a,b`, each once. Raises `BadRequest` for one that there is not."""
    if names is None:
        return otherwise
    wanted = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    for name in wanted or ("",):
        if name not in POSITIONS:
            raise BadRequest(f"There is no mode named {name!r}; there are {', '.join(POSITIONS)}.")
    return wanted
