"""The rows of a segment that are nearest to a query: exactly, by as little reading as that takes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.retrieval import Vectors
from corpus.lanes.match import Mask
from corpus.lanes.top import reached
from corpus.segments.quantised import Quantised, QuantisedQuery
from corpus.segments.texts import Places

_FEW: Final = 8
"""Reading rows here and there costs several times as much a row as reading all in a stretch."""

_EXACT: Final = 4
"""So many times as many rows as are wanted may come: whoever computes their cosines reads them anyway."""

_ROUNDING: Final = 1e-5
"""Rows of equal vectors differ by less in float32, and all of them have to come."""

_NEVER: Final = np.float32(-np.inf)

Cosines = NDArray[np.float32]


def nearest(vectors: Vectors, quantised: Quantised | None, query: Vectors, depth: int, allowed: Mask | None) -> Places:
    """At least the best `depth` allowed rows by cosine, and few others, ascending; `query` has shape (dimension,)."""
    if allowed is None:
        return _among_all(vectors, quantised, query, depth, None)
    count = int(np.count_nonzero(allowed))
    if count <= depth or count <= len(vectors) // (_FEW if quantised is None else _FEW**2):
        return _best(vectors, query, depth, np.flatnonzero(allowed))
    return _among_all(vectors, quantised, query, depth, allowed)


def _among_all(
    vectors: Vectors, quantised: Quantised | None, query: Vectors, depth: int, allowed: Mask | None
) -> Places:
    if quantised is not None and depth < len(vectors):
        possible = _possible(quantised, query, depth, allowed)
        if len(possible) <= len(vectors) // _FEW:
            return _best(vectors, query, depth, possible)
    cosines = vectors @ query
    if allowed is not None:
        cosines = np.where(allowed, cosines, _NEVER)
    return np.flatnonzero(_good(cosines, depth))


def _possible(quantised: Quantised, query: Vectors, depth: int, allowed: Mask | None) -> Places:
    """Rows that may be among the best: at most they reach what `depth` rows reach at least."""
    asked = QuantisedQuery.of(query)
    about = quantised.products(asked)
    rows = None if allowed is None else np.flatnonzero(allowed)
    if rows is not None:  # how good a forbidden row is must raise no bar
        about = about[rows]
    # What is known of all rows excludes most at one stroke; each one's own slack excludes some of the rest.
    near = np.flatnonzero(about >= reached(about, depth) - 2 * quantised.most_slack(asked))
    about, rows = about[near], near if rows is None else rows[near]
    slack = quantised.slack(asked, rows)
    return rows[about + slack >= reached(about - slack, depth)]


def _best(vectors: Vectors, query: Vectors, depth: int, rows: Places) -> Places:
    return rows if len(rows) <= _EXACT * depth else rows[_good(vectors[rows] @ query, depth)]


def _good(cosines: Cosines, depth: int) -> Mask:
    if len(cosines) <= depth:
        return cosines > _NEVER
    worst = np.partition(cosines, -depth)[-depth]
    # Fewer than `depth` may be allowed.
    good: Mask = (cosines >= worst - np.float32(_ROUNDING)) & (cosines > _NEVER)
    return good
