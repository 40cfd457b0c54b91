"""How questions are asked to be compared: the loop, its first round alone, and one pass with what the loop may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from state import Dials

LOOP: Final = "loop"
FIRST: Final = "first_round"
SINGLE: Final = "one_pass"


def as_deployed(dials: Dials) -> Dials:
    """The loop with the deployment's dials."""
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
MODES: Final[dict[str, Callable[[Dials], Dials]]] = {LOOP: as_deployed, FIRST: first_round, SINGLE: one_pass}
"""Each mode by its name, as what it makes of the deployment's dials."""
