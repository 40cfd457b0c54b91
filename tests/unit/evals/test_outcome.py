"""Means and counts against cases worked out by hand, and against scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evals.outcome import abstention, mcnemar, outcome, paired
from tests.unit.evals.records import cited, graded, nothing, record, refused

FIVE = [
    record(1),
    record(2, status="partial", cited=[cited("g"), cited("x", stands=False)], answer="No idea [1].", latency_ms=30.0),
    refused(3, rounds=[graded(("g", 0.2)), graded(("x", 0.1))], unfounded=1, latency_ms=20.0),
    refused(4, **nothing(kind="none", not_to_cite=["x"])),
    record(5, **nothing(kind="none", not_to_cite=["x"], cited=[cited("x")], dangling=2)),
]


def test_abstention_is_a_classifier_of_questions_without_an_answer() -> None:
    found = abstention(FIVE)
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)
    assert found.refused == pytest.approx(1 / 3)


def test_where_there_is_nothing_to_tell_there_is_no_figure() -> None:
    answerable = abstention([record()])
    assert (answerable.precision, answerable.recall, answerable.f1, answerable.refused) == (None, None, None, 0.0)
    without = abstention([refused(**nothing())])
    assert (without.precision, without.recall, without.f1, without.refused) == (1.0, 1.0, 1.0, None)
    assert outcome([refused(**nothing())]).token_f1 is None


def test_an_outcome_worked_out_by_hand() -> None:
    found = outcome(FIVE)
    assert found.questions == 5
    assert found.answerable == {"answered": 1, "insufficient": 1, "partial": 1}
    assert found.unanswerable == {"answered": 1, "insufficient": 1}
    assert found.citation_precision == pytest.approx((1 + 1 / 2) / 2)
    assert found.citation_recall == pytest.approx(2 / 3)
    assert found.point_recall == pytest.approx(1 / 3)
    assert found.token_f1 == pytest.approx((2 * 2 / (4 + 2)) / 3)
    assert found.right == pytest.approx(3 / 5)
    assert found.rounds == pytest.approx(6 / 5)
    assert found.stop_reasons == {"no_new_evidence": 2, "sufficient": 3}
    assert (found.stopped_without_gold, found.went_on_with_gold, found.refused_with_gold) == (0, 1, 1)
    assert (found.cited, found.not_standing, found.dangling) == (4, 2, 2)
    assert (found.could_mislead, found.misled) == (2, 1)
    assert found.p50_ms == pytest.approx(10.0)


def test_the_same_questions_in_two_modes() -> None:
    loop = [record(1), record(2), refused(3), refused(4), record(5)]
    once = [record(1, mode="one"), refused(2, mode="one"), record(3, mode="one"), refused(4, mode="one")]
    found = paired(loop, once)
    assert found is not None
    assert (found.modes, found.both, found.first, found.second, found.neither) == (("loop", "one"), 1, 1, 1, 1)
    assert found.p == 1.0
    assert paired(loop, [record(9)]) is None


@given(st.integers(0, 400), st.integers(0, 400))
def test_scipy_gives_the_same_p(one: int, other: int) -> None:
    wanted = binomtest(one, one + other, 0.5).pvalue if one + other else 1.0
    assert mcnemar(one, other) == pytest.approx(wanted)
