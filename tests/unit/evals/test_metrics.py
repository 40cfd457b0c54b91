"""Each metric against cases worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals import metrics


def test_recall_counts_what_could_stand_there() -> None:
    assert metrics.recall("abcdefg", "ag", 5) == 0.5
    assert metrics.recall("abcdefg", "abcdefg", 5) == 1.0
    assert metrics.recall("", "a", 5) == 0.0


def test_all_gold_is_all_or_nothing() -> None:
    assert metrics.all_gold("abc", "ca", 3) == 1.0
    assert metrics.all_gold("abc", "ca", 2) == 0.0


def test_reciprocal_rank_is_that_of_the_first() -> None:
    assert metrics.reciprocal_rank("xyab", "ab", 10) == pytest.approx(1 / 3)
    assert metrics.reciprocal_rank("xyab", "ab", 2) == 0.0


def test_ndcg_of_one_gold_at_rank_two_of_two_wanted() -> None:
    ideal = 1 + 1 / math.log2(3)
    assert metrics.ndcg("xa", "ab", 10) == pytest.approx((1 / math.log2(3)) / ideal)
    assert metrics.ndcg("abx", "ab", 10) == pytest.approx(1.0)


def test_a_repeated_label_counts_once_where_it_stands_first() -> None:
    assert metrics.recall(["a", "a", "a", "b"], "b", 2) == 1.0
    assert metrics.ndcg(["a", "a"], "a", 10) == 1.0


LABELS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(LABELS, st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 12))
def test_every_metric_lies_between_nought_and_one_and_is_one_for_the_best_order(
    found: list[str], gold: set[str], k: int
) -> None:
    best = sorted(gold) + [label for label in "abcdefgh" if label not in gold]
    for metric in (metrics.recall, metrics.reciprocal_rank, metrics.ndcg):
        assert 0.0 <= metric(found, gold, k) <= 1.0 + 1e-12
        assert metric(best, gold, k) == pytest.approx(1.0)
