from __future__ import annotations

from typing import Any, cast

import pytest

from policy import budget
from policy.decide import PRECEDENCE, RULES, decide, status
from state import LaneReport, RAGState, StopReason
from tests.fakes.run import NOW, dials, state
from tests.unit.policy.test_ledger import evidence

FAILED: LaneReport = {"query": "x", "lane": "keyword", "hits": 0, "cached": False, "error": "the lane failed"}


def spent(**changed: int) -> dict[str, Any]:
    return {**budget.nothing_spent(), **changed}


@pytest.mark.parametrize(
    ("at", "changed", "expected"),
    [
        ("route", {"need_retrieval": False}, "direct"),
        ("route", {"visible_chunks": 0}, "empty_corpus"),
        ("route", {"visible_chunks": 3}, None),
        ("rewrite", {}, None),
        ("rewrite", {"retry_count": 1}, "no_new_evidence"),
        ("rewrite", {"spent": spent(searches=16)}, "call_budget"),
        ("evaluate", {}, None),
        ("evaluate", {"lanes": [FAILED]}, "source_unavailable"),
        ("evaluate", {"lanes": [FAILED, {**FAILED, "error": None}]}, None),
        ("evaluate", {"relevance_score": 0.7}, "sufficient"),
        ("evaluate", {"relevance_score": 0.69}, None),
        ("evaluate", {"spent": spent(barren_rounds=2)}, "no_new_evidence"),
        ("evaluate", {"retry_count": 3}, "max_retries"),
        ("evaluate", {"retry_count": 2}, None),
        ("evaluate", {"spent": spent(searches=16)}, "call_budget"),
        ("evaluate", {"spent": spent(model_calls=15)}, "call_budget"),
        ("evaluate", {"spent": {**spent(), "estimated": {"input_tokens": 34_000, "output_tokens": 0}}}, "token_budget"),
    ],
)
def test_each_reason_has_its_cause(at: Any, changed: dict[str, Any], expected: StopReason | None) -> None:
    asked = state(**changed)
    assert decide(asked, asked["dials"], NOW, at=at) == expected


@pytest.mark.parametrize("low", [{"max_model_calls": 1}, {"max_tokens": 1_000}])
def test_a_reasoner_that_calls_no_model_needs_no_budget_for_one(low: dict[str, float]) -> None:
    asked = state(dials=dials(**low))
    assert decide(asked, asked["dials"], NOW, at="rewrite") is None
    assert decide(asked, asked["dials"], NOW, at="evaluate") is None


def test_the_deadline_leaves_the_answer_its_share() -> None:
    asked = state()
    assert decide(asked, asked["dials"], NOW + 33.7, at="evaluate") is None
    assert decide(asked, asked["dials"], NOW + 33.8, at="evaluate") == "deadline"


def test_the_first_reason_wins() -> None:
    asked = state(relevance_score=0.9, retry_count=3, spent=spent(searches=16, barren_rounds=2))
    assert decide(asked, asked["dials"], NOW + 100, at="evaluate") == "sufficient"
    weak: RAGState = {**asked, "relevance_score": 0.1}
    assert decide(weak, weak["dials"], NOW + 100, at="evaluate") == "no_new_evidence"


def test_rules_keep_the_order_of_the_design() -> None:
    order: list[StopReason] = [
        "direct", "empty_corpus", "source_unavailable", "sufficient", "conflict", "no_new_evidence",
        "single_pass", "max_retries", "call_budget", "token_budget", "deadline",
    ]  # fmt: skip
    for rules in RULES.values():
        places = [order.index(reason) for reason, _ in rules]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("reason", "score", "expected"),
    [
        ("direct", 0.0, "answered"),
        ("sufficient", 0.9, "answered"),
        ("empty_corpus", 0.0, "insufficient"),
        ("source_unavailable", 0.0, "failed"),
        ("source_unavailable", 0.9, "partial"),
        ("max_retries", 0.0, "insufficient"),
        ("max_retries", 0.9, "partial"),
        ("no_new_evidence", 0.69, "insufficient"),
        ("deadline", 0.9, "partial"),
        ("cancelled", 0.9, "cancelled"),
    ],
)
def test_status_follows_reason_and_ledger(reason: StopReason, score: float, expected: str) -> None:
    asked = state(
        stop_reason=reason,
        dials=dials(),
        sub_questions=[{"id": "q1", "text": "t", "required": True}],
        ledger=[{"sub_question_id": "q1", "evidence": [evidence("q1", "a", score)] if score else []}],
    )
    assert status(asked) == expected


CONFLICT = [{"sub_question_id": "q1", "sides": []}]


def disputed(**changed: Any) -> RAGState:
    checklist = [{"id": q, "text": "t", "required": True} for q in ("q1", "q2")]
    ledger = [{"sub_question_id": q, "evidence": [evidence(q, "a", 0.9)]} for q in ("q1", "q2")]
    return state(sub_questions=checklist, ledger=ledger, conflicts=CONFLICT, **changed)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("conflict", "partial"), ("max_retries", "partial"), ("source_unavailable", "partial")],
)
def test_what_is_in_conflict_is_not_confirmed(reason: StopReason, expected: str) -> None:
    asked = disputed(stop_reason=reason)
    assert status(asked) == expected
    only = cast(RAGState, {**asked, "sub_questions": asked["sub_questions"][:1]})
    assert status(only) == {"conflict": "partial", "source_unavailable": "failed"}.get(reason, "insufficient")


@pytest.mark.parametrize("reason", ["max_retries", "call_budget", "deadline", "source_unavailable"])
@pytest.mark.parametrize("required", [True, False])
def test_a_conflict_that_is_shown_is_a_part_of_an_answer(reason: StopReason, required: bool) -> None:
    asked = disputed(stop_reason=reason)
    asked["sub_questions"] = [{"id": "q1", "text": "t", "required": required}]
    asked["conflicts"] = [{"sub_question_id": "q1", "sides": [{**evidence("q1", "a", 0.9), "value": "30 days"}]}]
    failed = "failed" if reason == "source_unavailable" else "insufficient"
    assert status(asked) == ("partial" if required else failed)


def in_dispute(**changed: Any) -> RAGState:
    """The first of two required parts in conflict since round 0; the second is confirmed."""
    gap = {"sub_question_id": "q1", "kind": "conflict", "text": "t", "tried": []}
    conflicts = [{"sub_question_id": "q1", "sides": [], "round": 0}]
    return cast(RAGState, {**disputed(), "conflicts": conflicts, "gaps": [gap], "retry_count": 1, **changed})


MISSING = {"sub_question_id": "q2", "kind": "missing", "text": "t", "tried": []}
QUERY = {"text": "in force", "gap": "q1"}


@pytest.mark.parametrize(
    ("at", "changed", "expected"),
    [
        ("evaluate", {}, "conflict"),
        ("evaluate", {"retry_count": 0}, None),
        ("evaluate", {"retry_count": 0, "spent": spent(searches=16)}, "call_budget"),
        ("evaluate", {"spent": spent(barren_rounds=2)}, "conflict"),
        ("evaluate", {"gaps": []}, None),
        ("evaluate", {"lanes": [FAILED]}, "source_unavailable"),
        ("rewrite", {}, "conflict"),
        ("rewrite", {"rewritten_queries": [QUERY]}, None),
        ("rewrite", {"gaps": []}, "no_new_evidence"),
    ],
)
def test_a_conflict_is_a_reason_after_its_one_round(
    at: Any, changed: dict[str, Any], expected: StopReason | None
) -> None:
    asked = in_dispute(**changed)
    assert decide(asked, asked["dials"], NOW, at=at) == expected


def test_a_conflict_waits_for_the_other_gaps_and_is_then_the_reason() -> None:
    asked = in_dispute()
    waiting: RAGState = {**asked, "gaps": [*asked["gaps"], MISSING]}  # type: ignore[list-item]  # a plain dict
    assert decide(waiting, asked["dials"], NOW, at="evaluate") is None
    assert decide({**waiting, "retry_count": 3}, asked["dials"], NOW, at="evaluate") == "conflict"


def test_a_round_that_was_cut_off_settles_nothing() -> None:
    asked = in_dispute()
    assert decide(asked, asked["dials"], NOW, at="evaluate", lost="deadline") == "deadline"


def test_precedence_is_the_table_of_the_design() -> None:
    assert PRECEDENCE == (
        "cancelled", "human", "direct", "empty_corpus", "source_unavailable", "sufficient", "conflict",
        "no_new_evidence", "single_pass", "max_retries", "call_budget", "token_budget", "deadline",
    )  # fmt: skip


@pytest.mark.parametrize("reason", ["human", "single_pass"])
def test_reasons_that_no_node_gives_yet_have_their_status(reason: StopReason) -> None:
    assert status(disputed(stop_reason=reason)) == {"human": "answered", "single_pass": "partial"}[reason]


@pytest.mark.parametrize(
    ("changed", "lost", "expected"),
    [
        ({"relevance_score": 0.9}, "deadline", "sufficient"),
        ({"retry_count": 3}, "deadline", "max_retries"),
        ({"retry_count": 3}, "source_unavailable", "source_unavailable"),
        ({"spent": spent(barren_rounds=2)}, "deadline", "deadline"),
        ({}, "token_budget", "token_budget"),
        ({"spent": spent(searches=16)}, "token_budget", "call_budget"),
    ],
)
def test_a_lost_call_takes_its_place_in_the_precedence(
    changed: dict[str, Any], lost: StopReason, expected: StopReason
) -> None:
    asked = state(**changed)
    assert decide(asked, asked["dials"], NOW, at="evaluate", lost=lost) == expected
