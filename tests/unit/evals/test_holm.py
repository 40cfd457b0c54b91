from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.holm import adjusted


def test_the_example_of_a_textbook() -> None:
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_one_test_alone_stays_as_it_is_and_none_is_none() -> None:
    assert adjusted([0.04]) == [0.04]
    assert adjusted([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_no_p_falls_none_is_above_one_and_their_order_stays(ps: list[float]) -> None:
    found = adjusted(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, found, strict=True))
    assert all(q <= min(1.0, len(ps) * p) + 1e-12 or p <= q for p, q in zip(ps, found, strict=True))
    by_p = [q for _, q in sorted(zip(ps, found, strict=True))]
    assert by_p == sorted(by_p)
