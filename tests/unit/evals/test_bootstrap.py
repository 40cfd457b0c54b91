"""Intervals against scipy's, and what must hold of any."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from evals import bootstrap as ours
from evals.bootstrap import mean_interval

GAINS = [1.0] * 9 + [-1.0] * 3 + [0.0] * 48


def test_the_interval_is_that_of_scipy() -> None:
    found = mean_interval(GAINS)
    known = bootstrap(
        (np.array(GAINS),), np.mean, n_resamples=10_000, method="percentile", rng=np.random.default_rng(11)
    ).confidence_interval
    assert found.mean == pytest.approx(6 / 60)
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=0.012)


def test_a_paired_interval_is_narrower_than_that_of_two_separate_means() -> None:
    first = np.array([1.0, 0.0] * 20)
    second = first.copy()
    second[0:4] = 1.0
    paired = mean_interval((second - first).tolist())
    apart = bootstrap(
        (second, first),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=2_000,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert paired.high - paired.low < (apart.high - apart.low) / 2


def test_the_same_seed_gives_the_same_interval_however_much_is_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mean_interval(GAINS, seed=5)
    assert mean_interval(GAINS, seed=5) == whole
    assert mean_interval(GAINS, seed=6) != whole
    monkeypatch.setattr(ours, "_CELLS", 7 * len(GAINS))
    assert mean_interval(GAINS, seed=5) == whole


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_the_mean_lies_among_the_values_and_so_do_the_bounds(values: list[float]) -> None:
    found = mean_interval(values, resamples=200)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert min(values) - 1e-9 <= found.mean <= max(values) + 1e-9
