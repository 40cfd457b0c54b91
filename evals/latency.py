"""How long asks took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Percentiles:
    """Milliseconds that half, 95 and 99 of a hundred asks stay within, interpolated between the nearest two."""

    p50: float
    p95: float
    p99: float


def percentiles(took: Iterable[float | None]) -> Percentiles | None:
    """Of those that were measured, None when none was."""
    known = [ms for ms in took if ms is not None]
    if not known:
        return None
    return Percentiles(*(round(float(value), 3) for value in np.percentile(known, (50, 95, 99))))
