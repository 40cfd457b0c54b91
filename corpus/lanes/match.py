"""What a lane gives: places in a partition with scores, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
"""Which chunks of a partition may enter a lane, shape (chunks,)."""


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk in a lane: its place in the partition and the lane's own score."""

    place: int
    score: float
