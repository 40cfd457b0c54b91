"""Every edge that a run takes has its reason in one sentence, in both languages."""

from typing import Any, get_args

import pytest

from policy.onward import PLAIN, STOPS, why_next
from state import RAGState, StopReason
from tests.fakes.run import state


def test_every_reason_to_stop_and_every_other_edge_has_both_languages() -> None:
    assert set(STOPS) == set(get_args(StopReason))
    for said in (*STOPS.values(), *PLAIN.values()):
        assert said.keys() == {"zh", "en"}
        assert said["zh"] != said["en"]


def state_with(**changed: Any) -> RAGState:
    return state(**{"timings": [{"node": "route", "round": 0, "ms": 1.0}], **changed})


GAP = {"sub_question_id": "q1", "kind": "missing", "text": "the fee", "tried": []}


@pytest.mark.parametrize(
    ("node", "onward", "changed", "code", "part"),
    [
        ("start", "route", {}, "asked", "first looked at"),
        ("route", "rewrite", {}, "needs_documents", "checklist"),
        ("route", "retrieve", {}, "searched_as_asked", "the question itself"),
        ("route", "generate", {"stop_reason": "direct"}, "direct", "answered directly"),
        ("rewrite", "retrieve", {"rewritten_queries": [{"text": "x", "gap": None}] * 3}, "new_queries", "3 queries"),
        ("rewrite", "agent", {}, "tools", "agent"),
        ("rewrite", "generate", {"stop_reason": "no_new_evidence"}, "no_new_evidence", "left to try"),
        ("retrieve", "evaluate", {}, "judge", "0 hits"),
        ("agent", "agent", {}, "next_tool", "another tool call"),
        ("agent", "evaluate", {}, "tools_done", "noted"),
        ("evaluate", "rewrite", {"gaps": [GAP], "relevance_score": 0.4}, "gap", "the fee (score 0.40, under"),
        ("evaluate", "agent", {"gaps": [GAP]}, "gap", "the fee"),
        ("evaluate", "rewrite", {"gaps": [{**GAP, "kind": "conflict"}]}, "conflict_gap", '"the fee"'),
        ("evaluate", "generate", {"stop_reason": "sufficient", "relevance_score": 0.9}, "sufficient", "0.90"),
        ("evaluate", "generate", {"stop_reason": "max_retries", "retry_count": 3}, "max_retries", "4 rounds"),
        ("evaluate", "handoff", {"stop_reason": "max_retries"}, "to_a_person", "(max_retries)"),
        ("handoff", "generate", {"stop_reason": "human"}, "person_done", "replied or declined"),
        ("generate", None, {"stop_reason": "sufficient"}, "answered", "over"),
    ],
)
def test_an_edge_is_told_by_the_state_before_it(
    node: str, onward: str | None, changed: dict[str, Any], code: str, part: str
) -> None:
    why = why_next(state_with(**changed), node, onward)
    assert why["code"] == code
    assert part in why["sentence"]
    chinese = why_next(state_with(**changed, language="zh"), node, onward)
    assert chinese["code"] == code
    assert "{" not in chinese["sentence"]
    assert chinese["sentence"].endswith("。")


def test_before_the_route_the_question_itself_tells_the_language() -> None:
    sentences = [why_next(state(question), "start", "route")["sentence"] for question in ("谁付？", "Who pays?")]
    assert sentences == [PLAIN["asked"]["zh"], PLAIN["asked"]["en"]]


def test_braces_in_a_document_or_question_stay_braces() -> None:
    why = why_next(state_with(gaps=[{**GAP, "text": "{score} {0}"}]), "evaluate", "rewrite")
    assert "{score} {0}" in why["sentence"]
