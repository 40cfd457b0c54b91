from __future__ import annotations

import pytest

from evals.spread import Spread, spread


def test_the_deviation_is_that_of_a_sample() -> None:
    found = spread([0.2, 0.4, 0.9])
    assert found is not None
    # Mean .5; squares .09, .01, .16 add up to .26, over two of three.
    assert found.mean == pytest.approx(0.5)
    assert found.deviation == pytest.approx(0.13**0.5)
    assert (found.least, found.most) == (0.2, 0.9)


def test_one_repeat_has_no_deviation_and_none_no_spread() -> None:
    assert spread([0.5]) == Spread(mean=0.5, deviation=None, least=0.5, most=0.5)
    assert spread([]) is None
