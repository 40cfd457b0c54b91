from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.kappa import kappa

VERDICTS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30)


def test_a_case_by_hand() -> None:
    # Cohen's own kind of table: 20 both yes, 5 first only, 10 second only, 15 both no.
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    # Observed 35/50 = .7; expected .5 * .6 + .5 * .4 = .5.
    assert kappa(*zip(*pairs, strict=True)) == pytest.approx(0.4)


def test_what_is_not_defined() -> None:
    assert kappa([], []) is None
    assert kappa([True, True], [True, True]) is None


@given(VERDICTS)
def test_it_is_the_same_both_ways_at_most_one_and_one_only_in_full_agreement(pairs: list[tuple[bool, bool]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    found = kappa(first, second)
    assert found == kappa(second, first)
    if found is not None:
        assert -1.0 - 1e-12 <= found <= 1.0 + 1e-12
        assert (found == pytest.approx(1.0)) is (first == second)
