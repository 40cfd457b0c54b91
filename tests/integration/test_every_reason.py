"""Each node that can stop, for each reason that it knows, and how a gap ends; each driven by a scripted reasoner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from context.reasoning import GradeRequest, ProposedQuery, Reasoned, Rewrite, RewriteRequest, Route
from policy.decide import PRECEDENCE, RULES
from tests.fakes.machine import Hanging, Ran, ask, hang
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.service import grading, scripted
from tests.integration.test_stops import (
    BOTH,
    CHECKLIST,
    DOWN,
    MANY,
    WHOLE,
    AllLanesLost,
    costing,
    edges,
    told,
    two_parts,
)

NO_WAY_ON = Rewrite((("who pays the fee", True),), (ProposedQuery("repair fee", 1),))
SIDES = [passage(f"The fee is {sum_} yuan.", doc_id=str(sum_)) for sum_ in (300, 500)]
ELSEWHERE = {"human"}
"""A person's reply is driven in `test_stops`."""


def after_split(tokens: int, calls: int) -> dict[str, Any]:
    """A first rewrite that cost more than anyone foresaw."""
    return {"rewrite": lambda request: Reasoned(NO_WAY_ON, costing(tokens) * calls)}


STOPPED: dict[tuple[str, str], Callable[[], Ran]] = {
    ("route", "direct"): lambda: ask(
        scripted(route=[Route(False, "greeting", "hello")], answer=["Hello!"]), MemoryRetriever(BOTH), "hello"
    ),
    ("route", "empty_corpus"): lambda: ask(scripted(), MemoryRetriever()),
    ("route", "deadline"): lambda: ask(scripted(), Hanging(BOTH, "count")),
    ("rewrite", "no_new_evidence"): lambda: ask(
        scripted(score=0.1, rewrite=lambda request: NO_WAY_ON), MemoryRetriever(BOTH)
    ),
    ("rewrite", "call_budget"): lambda: ask(scripted(**after_split(1, 15)), MemoryRetriever(BOTH)),
    ("rewrite", "token_budget"): lambda: ask(scripted(**after_split(39_000, 1)), MemoryRetriever(BOTH)),
    ("rewrite", "deadline"): lambda: ask(scripted(rewrite=hang), MemoryRetriever(BOTH)),
    ("rewrite", "source_unavailable"): lambda: ask(
        two_parts(rewrite=[Rewrite(CHECKLIST, ()), DOWN]), MemoryRetriever(BOTH)
    ),
    ("evaluate", "source_unavailable"): lambda: ask(scripted(), AllLanesLost(after=0)),
    ("rewrite", "conflict"): lambda: ask(
        scripted(rewrite=lambda request: Rewrite((("what is the fee", True),), ())),
        MemoryRetriever(SIDES),
        "what is the fee",
    ),
    ("evaluate", "conflict"): lambda: ask(scripted(), MemoryRetriever(SIDES), "what is the fee"),
    ("evaluate", "sufficient"): lambda: ask(scripted(), MemoryRetriever(BOTH)),
    ("evaluate", "no_new_evidence"): lambda: ask(scripted(score=0.1), MemoryRetriever(BOTH)),
    ("evaluate", "single_pass"): lambda: ask(scripted(score=0.1), MemoryRetriever(BOTH), mode="hybrid"),
    ("evaluate", "max_retries"): lambda: ask(two_parts(), MemoryRetriever(BOTH), max_retries=1),
    ("evaluate", "call_budget"): lambda: ask(two_parts(), MemoryRetriever(BOTH), max_searches=2),
    ("evaluate", "token_budget"): lambda: ask(
        scripted(grade=lambda request: Reasoned(grading(0.1)(request), costing(36_000))), MemoryRetriever(BOTH)
    ),
    ("evaluate", "deadline"): lambda: ask(scripted(grade=hang), MemoryRetriever(BOTH)),
}


@pytest.mark.parametrize(("node", "reason"), STOPPED, ids=[f"{node}-{reason}" for node, reason in STOPPED])
def test_each_node_that_can_stop_does_for_each_of_its_reasons(node: str, reason: str) -> None:
    ran = STOPPED[node, reason]()
    assert (ran.nodes[-2], ran.nodes[-1], ran.state["stop_reason"]) == (node, "generate", reason)


def test_no_rule_and_no_reason_is_left_out() -> None:
    rules = {(node, reason) for node, rules in RULES.items() for reason, _ in rules if reason not in ELSEWHERE}
    assert rules <= set(STOPPED)
    # `cancelled` is no node's: the run is over when the client leaves (tests/integration/test_leaving.py).
    assert {reason for _, reason in STOPPED} == set(PRECEDENCE) - ELSEWHERE - {"cancelled"}


def test_without_retries_a_loop_is_one_pass() -> None:
    ran = ask(two_parts(), MemoryRetriever(BOTH), max_retries=0)
    assert (told(ran), edges(ran)) == (("max_retries", "partial"), WHOLE)


def test_after_a_barren_round_a_gap_is_searched_otherwise_and_then_closes_while_others_go_on() -> None:
    rising = iter([0.5, 0.55, 0.6, 0.65])

    def grade(request: GradeRequest) -> Any:
        judged = grading(next(rising))(request)
        return [j for j in judged if j.sub_question_id == "q1"]

    count = iter(range(1, 100))

    def rewrite(request: RewriteRequest) -> Rewrite:
        words = "kept " * next(count)
        return Rewrite(CHECKLIST, (ProposedQuery(f"fee {words}", 1), ProposedQuery(f"footage {words}", 2)))

    reasoner = two_parts(rewrite=rewrite, grade=grade)
    ran = ask(reasoner, MemoryRetriever([passage(f"The fee {n} and footage kept {n}.") for n in range(20)]))
    tried = [(t["round"], t["gap"], t.get("strategy")) for t in ran.state["tried"]]
    assert tried[1:] == [
        (0, "q1", None),
        (0, "q2", None),
        (1, "q1", None),
        (1, "q2", "deeper"),
        (2, "q1", None),
        (3, "q1", None),
    ]
    assert [len(request.gaps) for request in reasoner.rewrite_requests] == [0, 2, 1, 1]
    assert told(ran) == ("max_retries", "insufficient")
    assert [gap["sub_question_id"] for gap in ran.state["gaps"]] == ["q1", "q2"]
    assert [(s["sub_question_id"], s["change"]) for s in ran.state["strategies"]] == [("q1", None), ("q2", "closed")]


def test_when_the_last_gap_has_closed_there_is_nothing_left_to_try() -> None:
    ran = ask(two_parts(), MemoryRetriever(MANY))
    assert told(ran) == ("no_new_evidence", "partial")
    assert edges(ran)[-1] == "rewrite:generate"
    assert ran.state["spent"]["barren_rounds"] == 1
