from __future__ import annotations

from evals.latency import percentiles


def test_percentiles_lie_between_the_nearest_two() -> None:
    found = percentiles([10.0, None, 30.0, 20.0])
    assert found is not None
    assert (found.p50, found.p95, found.p99) == (20.0, 29.0, 29.8)


def test_of_nothing_measured_there_is_none() -> None:
    assert percentiles([None]) is None
