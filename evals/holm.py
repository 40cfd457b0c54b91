"""Many tests at once: by chance alone, one of twenty falls below 0.05."""

from __future__ import annotations

from collections.abc import Sequence


def adjusted(ps: Sequence[float]) -> list[float]:
    """Each p as it stands among all that were looked at (Holm, A simple sequentially rejective multiple test, 1979).

    One below 0.05 after this keeps the chance that any of them is a false alarm below 0.05, however they depend on
    each other.
    """
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    found, least = [0.0] * len(ps), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[place]))
        found[place] = least
    return found
