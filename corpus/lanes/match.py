"""What a lane gives: places in a partition with scores, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from state import Lane

Mask = NDArray[np.bool_]
"""Which chunks of a partition may enter a lane, shape (chunks,)."""


class Match(NamedTuple):
    """A chunk in a lane: its place in the partition and the lane's own score."""

    place: int
    score: float


@dataclass(frozen=True)
class RankedList:
    """One lane of one query; `elsewhere` holds the lane's own score of places that only other lists found.

    One that is not `shown` counts in fusion and is no place of its own: it says again what the lane's list says.
    """

    query: str
    lane: Lane
    weight: float
    matches: Sequence[Match]
    elsewhere: Mapping[int, float] = field(default_factory=dict)
    shown: bool = True


@dataclass(frozen=True)
class Answer:
    """One lane's answer to one query; `error` is a sentence when it failed.

    Of the keyword lane, `named` is the same search for the codes alone that the query names.
    """

    matches: Sequence[Match] = ()
    named: Sequence[Match] = ()
    cached: bool = False
    error: str | None = None


Answers = Mapping[tuple[str, Lane], Answer]
"""Answers by query and lane."""
