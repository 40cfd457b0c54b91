"""Positions of the switch that are compared: every built mode, and two of the loop that a mode alone does not give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Protocol, cast

from context.run import Context
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


_A_ROUND: Final = ("top_k", "grades_per_sub_question", "grades_per_round")
MODES: Final[dict[str, Callable[[Dials], Dials]]] = {
    **dict.fromkeys(engine.MODES, as_deployed),
    FIRST: first_round,
    SINGLE: one_pass,
}
"""Each by the name that a record has as its mode, as what it makes of the deployment's dials."""


class Position(Protocol):
    """One way to ask: the mode, and the context made of the deployment's, whose budget is lowered already."""

    @property
    def mode(self) -> Mode: ...

    def given(self, context: Context) -> Context: ...


@dataclass(frozen=True)
class Plain:
    """A position of `MODES`."""

    name: str

    @property
    def mode(self) -> Mode:
        return next((mode for mode in engine.MODES if mode == self.name), LOOP)

    def given(self, context: Context) -> Context:
        return replace(context, dials=MODES[self.name](context.dials))


def plain(name: str) -> Position:
    """The position of this name. Raises `BadRequest` with those that there are."""
    if name not in MODES:
        raise BadRequest(f"There is no mode named {name!r}; there are {', '.join(MODES)}.")
    return Plain(name)


def chosen(
    names: str | None, otherwise: tuple[str, ...], position: Callable[[str], Position] = plain
) -> tuple[str, ...]:
    """The names of `a,b`, each once. Raises `BadRequest` for one that there is no position of."""
    if names is None:
        return otherwise
    wanted = tuple(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in wanted:
        position(name)
    return wanted
