"""High values are found without sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from corpus.lanes.top import promising, reached


@given(st.integers(0, 99), st.integers(1, 40), st.sampled_from([1, 5, 64, 700, 7_000]), st.booleans())
def test_so_many_reach_the_value_and_it_is_high(seed: int, count: int, size: int, ties: bool) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(3, size=size).astype(float) if ties else random.random(size)
    least = reached(values, count)
    if size <= count:
        assert least == float("-inf")
    else:
        assert count <= (values >= least).sum() <= (size if ties else 3 * count)
        assert len(set(promising(values, count).tolist())) == count
