"""The nearest rows by way of small integers are the nearest rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from context.retrieval import Vectors
from corpus.lanes.nearest import nearest
from corpus.segments.quantised import Quantised, QuantisedQuery

DIMENSION = 160


def unit(rows: NDArray[Any]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def clustered(seed: int, size: int, spread: float, lower: int) -> Vectors:
    """Around 30 centres in a space of `lower` dimensions, with some noise in all: what embeddings look like."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((30, lower)) @ random.standard_normal((lower, DIMENSION))
    return unit(unit(centres)[random.integers(30, size=size)] + spread * random.standard_normal((size, DIMENSION)) / 12)


@given(
    st.integers(0, 99), st.sampled_from([0.0, 0.3, 3.0]), st.integers(1, 60), st.sampled_from([None, 0.0, 0.05, 0.7])
)
def test_the_best_are_among_them(seed: int, spread: float, depth: int, share: float | None) -> None:
    vectors = clustered(seed, 600, spread, 20)
    query = clustered(seed + 1, 1, spread, 20)[0] if seed % 2 else vectors[seed]
    allowed = None if share is None else np.random.default_rng(seed).random(len(vectors)) < share
    cosines = vectors.astype(float) @ query.astype(float)
    permitted = np.arange(len(vectors)) if allowed is None else np.flatnonzero(allowed)
    best = permitted[np.argsort(-cosines[permitted], kind="stable")[:depth]]
    for quantised in (None, Quantised.of(vectors)):
        found = nearest(vectors, quantised, query, depth, allowed)
        assert set(found) <= set(permitted)
        worst = cosines[best].min() if len(best) else 2.0
        assert set(permitted[cosines[permitted] > worst + 1e-6]) <= set(found)
        assert len(found) >= len(best)


@pytest.mark.parametrize("depth", [1, 10, 40])
def test_a_filter_by_folder_hides_nothing_where_what_it_forbids_is_nearer(depth: int) -> None:
    """The allowed rows lie side by side, as those of one folder do."""
    vectors = clustered(5, 12_000, 0.3, 40)
    query = clustered(6, 1, 0.3, 40)[0]
    vectors[2_000:] = unit(vectors[2_000:] + 2 * query)
    allowed = np.arange(len(vectors)) < 2_000
    best = np.argsort(-np.where(allowed, vectors @ query, -2.0))[:depth]
    assert set(best) <= set(nearest(vectors, Quantised.of(vectors), query, depth, allowed)) <= set(range(2_000))


def bounds(quantised: Quantised, query: Vectors) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """About what the products are, and how far off they may be."""
    asked = QuantisedQuery.of(query)
    return quantised.products(asked), quantised.slack(asked, np.arange(len(quantised.codes)))


def test_few_rows_are_left_to_look_at() -> None:
    vectors = clustered(1, 20_000, 0.3, 40)
    about, slack = bounds(Quantised.of(vectors), vectors[0])
    cosines = vectors @ vectors[0]
    assert about.shape == slack.shape == (20_000,)
    assert (about + slack >= np.sort(about - slack)[-50]).sum() < 1_000
    assert np.abs(about - cosines).max() < 0.01


@pytest.mark.parametrize("length", [0.0, 0.5, 3.0])
def test_bounds_hold_for_vectors_of_any_length(length: float) -> None:
    vectors = clustered(2, 500, 3.0, 20) * np.float32(length)
    query = clustered(3, 1, 3.0, 20)[0] * np.float32(2)
    quantised = Quantised.of(vectors)
    about, slack = bounds(quantised, query)
    assert (np.abs(vectors @ query - about) <= slack).all()
    assert slack.max() <= quantised.most_slack(QuantisedQuery.of(query))


@given(st.integers(0, 99), st.integers(1, 400))
def test_products_of_whole_numbers_are_exact(seed: int, dimension: int) -> None:
    """So says the library; the bounds rest on it."""
    random = np.random.default_rng(seed)
    rows = random.integers(-127, 128, (9, dimension)).astype(np.float32)
    rows[:, 0] = 127
    quantised = Quantised.of(rows)
    assert (quantised.codes == rows).all()
    about, _ = bounds(quantised, rows[0])
    assert about == pytest.approx(rows @ rows[0], rel=1e-5, abs=1.0)


def test_all_rows_of_equal_vectors_come() -> None:
    vectors = np.repeat(clustered(4, 10, 0.3, 20), 30, axis=0)
    for quantised in (None, Quantised.of(vectors)):
        assert set(nearest(vectors, quantised, vectors[0], 5, None)) >= set(range(30))
