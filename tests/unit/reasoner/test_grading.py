from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reasoner.grading import in_context, score


def test_in_another_language_a_lower_cosine_passes_and_words_decide_nothing() -> None:
    assert score(0.85, 0.0, across=True) >= 0.7 > score(0.85, 0.0)
    assert score(0.79, 1.0, across=True) < 0.5
    assert score(0.80, 0.4, across=True) == score(0.80, 0.0, across=True)


def test_without_an_embedder_the_words_decide() -> None:
    assert score(None, 0.75) == 0.75


def test_a_lone_sub_question_that_is_the_whole_keeps_its_cosines() -> None:
    whole = np.array([0.8, 0.9], np.float32)
    np.testing.assert_allclose(in_context(whole, whole[np.newaxis]), [whole])


def test_a_part_is_lifted_by_the_whole_and_by_being_nearer_than_its_neighbour() -> None:
    corrected = in_context(np.array([0.9]), np.array([[0.8], [0.8]]))
    np.testing.assert_allclose(corrected, [[0.85], [0.85]])
    nearer, farther = in_context(np.array([0.8]), np.array([[0.9], [0.8]]))[:, 0]
    assert nearer > 0.9
    assert farther < 0.8


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 0.2))
def test_more_of_either_signal_never_lowers_the_grade(cosine: float, covered: float, more: float) -> None:
    assert 0 <= score(cosine, covered) <= 1
    assert score(min(1.0, cosine + more), covered) >= score(cosine, covered)
    assert score(cosine, min(1.0, covered + more)) >= score(cosine, covered)


def test_an_off_topic_passage_fails_and_one_in_the_questions_words_passes() -> None:
    assert score(0.83, 0.0) < 0.5
    assert score(0.90, 0.8) >= 0.9
