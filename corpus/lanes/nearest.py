"""The rows of a segment that are nearest to a query: exactly, by as little reading as that takes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from context import Vectors
from corpus.lanes.match import Mask
from corpus.lanes.top import promising
from corpus.segments.sketch import Sketch
from corpus.segments.texts import Places

_FEW: Final = 8
"""Reading rows here and there costs several times as much a row as reading all in a stretch."""

_TRIED: Final = 4
"""Rows a wanted one whose cosines are computed to learn how good the wanted ones are."""

_ROUNDING: Final = 1e-5
"""Rows of equal vectors differ by less in float32, and all of them have to come."""

_NEVER: Final = np.float32(-np.inf)

Cosines = NDArray[np.float32]


def nearest(vectors: Vectors, sketch: Sketch | None, query: Vectors, depth: int, allowed: Mask | None) -> Places:
    """At least the best `depth` allowed rows by cosine, and few others, ascending; `query` has shape (dimension,)."""
    if allowed is None:
        return _among_all(vectors, sketch, query, depth, None)
    count = int(np.count_nonzero(allowed))
    if count <= depth or count <= len(vectors) // _FEW:
        return _best(vectors, query, depth, np.flatnonzero(allowed))
    return _among_all(vectors, sketch, query, depth, allowed)


def _among_all(vectors: Vectors, sketch: Sketch | None, query: Vectors, depth: int, allowed: Mask | None) -> Places:
    if sketch is not None and depth < len(vectors):
        possible = _possible(vectors, sketch, query, depth, allowed)
        if len(possible) <= len(vectors) // _FEW:
            return _best(vectors, query, depth, possible)
    cosines = vectors @ query
    if allowed is not None:
        cosines = np.where(allowed, cosines, _NEVER)
    return np.flatnonzero(_good(cosines, depth))


def _possible(vectors: Vectors, sketch: Sketch, query: Vectors, depth: int, allowed: Mask | None) -> Places:
    """Rows that may be among the best: their bound reaches what `depth` rows are known to reach."""
    likely, bound = sketch.bounds(query)
    reached = vectors[_tried(likely, _TRIED * depth, allowed)] @ query
    possible = bound >= np.partition(reached, -depth)[-depth] - np.float32(_ROUNDING)
    return np.flatnonzero(possible if allowed is None else possible & allowed)


def _tried(likely: Cosines, count: int, allowed: Mask | None) -> Places:
    """About the most likely of the allowed rows: how good a forbidden one is must raise no bar."""
    if allowed is None:
        return promising(likely, min(count, len(likely)))
    rows = np.flatnonzero(allowed)
    return rows[promising(likely[rows], min(count, len(rows)))]


def _best(vectors: Vectors, query: Vectors, depth: int, rows: Places) -> Places:
    return rows if len(rows) <= depth else rows[_good(vectors[rows] @ query, depth)]


def _good(cosines: Cosines, depth: int) -> Mask:
    if len(cosines) <= depth:
        return cosines > _NEVER
    worst = np.partition(cosines, -depth)[-depth]
    # Fewer than `depth` may be allowed.
    good: Mask = (cosines >= worst - np.float32(_ROUNDING)) & (cosines > _NEVER)
    return good
