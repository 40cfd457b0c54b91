from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.calibrate import MEANING, across, grade
from evals.fitting import Numbers, Sample, absent, logistic, loosest, passed, weights
from reasoner import grading
from reasoner.grading import ACROSS, WORDS, score


def sample(*candidates: tuple[float, float, bool]) -> Sample:
    cosines, covered, gold = zip(*candidates, strict=True)
    return Sample(np.array(cosines), np.array(covered), np.array(gold, bool))


def drawn(count: int, seed: int = 1) -> list[Sample]:
    """Candidates whose chance to be gold is logistic in both signals."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        cosines, covered = random.uniform(0.8, 0.95, 6), random.uniform(0, 1, 6)
        gold = random.uniform(size=6) < logistic(40 * cosines + 4 * covered - 37)
        made.append(Sample(cosines, covered, gold))
    return made


def by_cosine(centre: float, cosines: Numbers, covered: Numbers) -> Numbers:
    return np.asarray(cosines > centre, np.float64)


def test_the_weights_that_made_the_labels_are_found_again() -> None:
    cosine, coverage, _ = weights([drawn(4000)])
    assert cosine == pytest.approx(40, rel=0.1)
    assert coverage == pytest.approx(4, rel=0.1)


def test_a_signal_that_speaks_against_an_answer_gets_no_weight() -> None:
    turned = [Sample(s.cosines, 1 - s.covered, s.gold) for s in drawn(500)]
    assert weights([turned])[1] == 0.0


@given(st.floats(0.6, 1.0), st.floats(0, 1))
def test_what_is_fitted_is_what_the_reasoner_grades_by(cosine: float, covered: float) -> None:
    assert MEANING == grading.MEANING
    one, other = np.array([cosine]), np.array([covered])
    assert grade(WORDS, one, other)[0] == pytest.approx(score(cosine, covered))
    assert across(ACROSS[0], one, other)[0] == pytest.approx(score(cosine, covered, across=True))


def test_a_question_passes_by_its_best_candidate_and_one_without_candidates_fails() -> None:
    asked = [sample((0.9, 0, True), (0.5, 0, False)), sample((0.5, 0, False))]
    nothing = Sample(np.array([]), np.array([]), np.array([], bool))
    assert passed([*asked, nothing], partial(by_cosine, 0.8), 0.7) == pytest.approx(1 / 3)
    assert np.isnan(passed([], partial(by_cosine, 0.8), 0.7))


def test_where_every_question_has_an_answer_its_passage_is_taken_away() -> None:
    answered, unanswered = sample((0.9, 0, True), (0.5, 0, False)), sample((0.6, 0, False))
    assert absent([answered, unanswered]) == [unanswered]
    assert [list(s.cosines) for s in absent([answered])] == [[0.5]]


def test_the_loosest_grade_that_still_refuses_nine_of_ten_is_taken() -> None:
    gold = [sample((0.82 + n / 100, 0, True)) for n in range(10)]
    none = [sample((0.75 + n / 100, 0, False)) for n in range(10)]
    centres = [0.70, 0.80, 0.825, 0.835, 0.86]
    chosen = loosest([partial(by_cosine, c) for c in centres], [gold], [[*gold, *none]], 0.7)
    assert centres[chosen] == 0.835
