from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errors import BadRequest
from evals.soak.memory import MB, Sample, growth, resident, slope


@given(st.floats(-100, 100), st.floats(-1e6, 1e6), st.integers(2, 40))
def test_the_slope_of_a_line_is_its_own(rise: float, start: float, count: int) -> None:
    assert slope([(x, start + rise * x) for x in range(count)]) == pytest.approx(rise, abs=1e-6)


def test_a_leap_that_goes_back_moves_the_slope_of_no_line() -> None:
    points = [(float(x), 2.0 * x + (1e9 if x == 20 else 0)) for x in range(60)]
    assert slope(points) == pytest.approx(2.0)


def test_growth_is_in_megabytes_a_minute() -> None:
    samples = [Sample(float(second), 100 * MB + second * MB // 60, 0, 0) for second in range(120)]
    assert growth(samples) == pytest.approx(1.0, abs=0.01)


def test_the_memory_of_a_process_is_what_the_kernel_says() -> None:
    own = resident(os.getpid())
    assert own["resident"] >= own["anonymous"] > 10 * MB
    with pytest.raises(BadRequest, match="only Linux"):
        resident(2**31)
