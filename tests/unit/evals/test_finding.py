"""What an ask found, by hand; the metrics under it are held to trec_eval in test_metrics.py."""

from __future__ import annotations

import math

import pytest

from evals import finding
from evals.record import Round
from tests.unit.evals.records import record


def test_the_last_round_is_what_the_answer_was_written_from() -> None:
    asked = record(gold=["a", "b"], rounds=[Round(["x"], []), Round(["x", "a", "y"], [("q1", "a", 0.8)])])
    assert finding.found(asked) == ["x", "a", "y"]
    assert finding.recall(asked) == 0.5
    assert finding.all_gold(asked) == 0.0
    assert finding.reciprocal_rank(asked) == 0.5
    assert finding.ndcg(asked) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_gold_counts_as_evidence_from_a_half_on_in_any_round() -> None:
    rounds = [Round(["a"], [("q1", "a", 0.5)]), Round(["b"], [("q1", "b", 0.49)])]
    assert finding.evidence_recall(record(gold=["a", "b"], rounds=rounds)) == 0.5


def test_an_ask_that_looked_nothing_up_found_nothing() -> None:
    asked = record(rounds=[])
    assert (finding.found(asked), finding.recall(asked), finding.evidence_recall(asked)) == ([], 0.0, 0.0)
