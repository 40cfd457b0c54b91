"""The best of many values without sorting them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpus.segments.texts import Places

_BLOCK: Final = 64


def promising(values: NDArray[np.floating[Any]], count: int) -> Places:
    """So many places of high values: the best of every block where there are blocks enough, which is soon found."""
    blocks = len(values) // _BLOCK
    if blocks < 2 * count:
        return np.argpartition(values, -count)[-count:]
    best = values[: blocks * _BLOCK].reshape(blocks, _BLOCK).argmax(axis=1) + np.arange(blocks) * _BLOCK
    good: Places = best[np.argpartition(values[best], -count)[-count:]]
    return good


def reached(values: NDArray[np.floating[Any]], count: int) -> float:
    """A value that at least `count` of these reach; -inf when there are not so many."""
    if len(values) <= count:
        return float("-inf")
    return float(values[promising(values, count)].min())
