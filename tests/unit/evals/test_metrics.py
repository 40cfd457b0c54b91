"""Each metric against cases worked out by hand, and against trec_eval."""

from __future__ import annotations

import math

import pytest
import pytrec_eval
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


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True), st.sets(st.sampled_from("abcdefghxyz"), min_size=1, max_size=5)
)
def test_trec_eval_gives_the_same(found: list[str], gold: set[str]) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"q": dict.fromkeys(gold, 1)}, {"recall.5", "ndcg_cut.5", "ndcg_cut.10", "recip_rank"}
    )
    # It orders by score and takes no empty ranking; 0 is what that is worth.
    ranking = {label: float(len(found) - place) for place, label in enumerate(found)} or {"nothing": 1.0}
    theirs = evaluator.evaluate({"q": ranking})["q"]
    assert metrics.recall(found, gold, 5) == pytest.approx(theirs["recall_5"])
    assert metrics.ndcg(found, gold, 5) == pytest.approx(theirs["ndcg_cut_5"])
    assert metrics.ndcg(found, gold, 10) == pytest.approx(theirs["ndcg_cut_10"])
    assert metrics.reciprocal_rank(found, gold, 10) == pytest.approx(theirs["recip_rank"])
