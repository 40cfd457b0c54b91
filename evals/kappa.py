"""How far two judges agree beyond what chance would have them do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def kappa(first: Sequence[bool], second: Sequence[bool]) -> float | None:
    """Cohen's kappa (1960): (observed - expected agreement) / (1 - expected), of verdicts on the same things in order.

    None where it is not defined: nothing was judged, or both say the same of everything.
    """
    n = len(first)
    if not n:
        return None
    observed = sum(one == other for one, other in zip(first, second, strict=True)) / n
    ones, others = Counter(first), Counter(second)
    expected = sum(ones[verdict] * others[verdict] for verdict in (True, False)) / n**2
    return (observed - expected) / (1 - expected) if expected < 1 else None
