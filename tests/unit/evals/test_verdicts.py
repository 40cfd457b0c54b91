from __future__ import annotations

from typing import Any

import pytest

from evals import verdicts
from evals.record import Record
from tests.unit.evals.records import cited, graded, nothing, record, refused


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        (record(), True),
        (record(status="partial"), True),
        (record(cited=[cited("other")]), False),
        (record(status="failed", cited=[]), False),
        (refused(), False),
        (record(**nothing()), False),
        (refused(**nothing()), True),
        (record(status="failed", **nothing(cited=[])), False),
    ],
)
def test_right_is_an_answer_that_cites_gold_or_a_refusal_where_there_is_none(asked: Record, right: bool) -> None:
    assert verdicts.right(asked) is right


def test_citations_count_by_label() -> None:
    found = record(gold=["g", "h", "i"], cited=[cited("g"), cited("g"), cited("h"), cited("x")])
    assert verdicts.citation_precision(found) == pytest.approx(2 / 3)
    assert verdicts.citation_recall(found) == pytest.approx(2 / 3)
    assert verdicts.citation_precision(refused()) is None
    assert verdicts.citation_recall(refused()) == 0.0


def test_sufficient_without_gold_looks_at_the_evidence_of_every_round() -> None:
    assert verdicts.stopped_without_gold(record(rounds=[graded(("x", 0.9))]))
    assert verdicts.stopped_without_gold(record(rounds=[graded(("g", 0.49), ("x", 0.9))]))
    assert not verdicts.stopped_without_gold(record(rounds=[graded(("g", 0.5)), graded(("x", 0.9))]))
    assert not verdicts.stopped_without_gold(record(stop_reason="max_retries", rounds=[graded(("x", 0.9))]))


def test_going_on_is_wrong_only_with_all_gold_graded_before_the_last_round() -> None:
    both = graded(("g", 0.1), ("h", 0.1))
    assert verdicts.went_on_with_gold(record(gold=["g", "h"], rounds=[both, graded(("x", 0.9))]))
    assert not verdicts.went_on_with_gold(record(gold=["g", "h"], rounds=[graded(("g", 0.1)), both]))
    assert not verdicts.went_on_with_gold(record(rounds=[graded(("g", 0.9))]))
    assert not verdicts.went_on_with_gold(record(gold=[], rounds=[graded(("g", 0.9)), graded(("x", 0.9))]))


def test_refused_with_gold_in_hand() -> None:
    assert verdicts.refused_with_gold(refused(rounds=[graded(("g", 0.2))]))
    assert not verdicts.refused_with_gold(refused(rounds=[graded(("x", 0.2))]))
    assert not verdicts.refused_with_gold(record())


def test_misled_by_what_must_not_be_cited() -> None:
    assert verdicts.misled(record(not_to_cite=["x", "g"]))
    assert not verdicts.misled(record(not_to_cite=["x"]))


def test_without_gold_it_is_what_the_answer_says_that_counts() -> None:
    assert verdicts.right(record(gold=[]))
    assert not verdicts.right(record(gold=[], points=[["30 days"], ["in writing"]]))
    assert verdicts.right(record(gold=[], points=[], references=["30 days"]))
    assert not verdicts.right(record(gold=[], points=[], references=["60 days"]))
    assert not verdicts.right(refused(gold=[], answer="30 days"))


def test_small_talk_is_right_when_nothing_was_looked_up() -> None:
    chat: dict[str, Any] = {"needs_lookup": False, "gold": [], "points": [], "references": []}
    assert verdicts.right(record(**chat, looked_up=False))
    assert not verdicts.right(record(**chat))
    assert verdicts.looked_up_in_vain(record(**chat))
    assert not verdicts.answered_directly(record(**chat, looked_up=False))
    assert verdicts.answered_directly(record(looked_up=False))
