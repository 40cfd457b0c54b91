from typing import Any, cast

import pytest

from errors import BadRequest
from runs.edits import with_edits
from state import RAGState
from tests.unit.runs.test_reply import evidence, question, state

KEPT = state(
    sub_questions=[question(1), question(2, required=False)],
    rewritten_queries=[{"text": "a", "gap": "q1"}, {"text": "b", "gap": "q2"}],
    ledger=[
        {"sub_question_id": "q1", "evidence": [evidence("q1", 0.6)]},
        {"sub_question_id": "q2", "evidence": [evidence("q2", 0.9)]},
    ],
    graded=[
        {"sub_question_id": "q1", "chunk_id": "c1", "score": 0.6},
        {"sub_question_id": "q2", "chunk_id": "c1", "score": 0.9},
    ],
    relevance_score=0.6,
)


def edited(upcoming: str = "retrieve", kept: RAGState = KEPT, written_by: str = "rewrite", **edits: Any) -> RAGState:
    return with_edits(kept, edits, written_by=written_by, upcoming=upcoming)


def test_no_edit_changes_nothing() -> None:
    assert edited() == KEPT


def test_a_new_question_stands_alone_as_it_is_written() -> None:
    state = edited("route", question="Other?")
    assert (state["question"], state["standalone"]) == ("Other?", "Other?")


def test_a_new_checklist_keeps_what_was_found_for_what_stays() -> None:
    state = edited(sub_questions=[{"text": "Thing 2?"}, {"text": "New?"}])
    assert state["sub_questions"] == [
        {"id": "q2", "text": "Thing 2?", "required": True},
        {"id": "q3", "text": "New?", "required": True},
    ]
    assert [(entry["sub_question_id"], len(entry["evidence"])) for entry in state["ledger"]] == [("q2", 1), ("q3", 0)]
    assert [pair["sub_question_id"] for pair in state["graded"]] == ["q2"]
    assert [gap["sub_question_id"] for gap in state["gaps"]] == ["q3"]
    assert state["relevance_score"] == 0.0
    assert [query["gap"] for query in state["rewritten_queries"]] == [None, "q2"]


def test_a_sub_question_reworded_under_its_id_loses_its_evidence() -> None:
    state = edited(sub_questions=[{"id": "q1", "text": "Quite another thing?"}])
    assert state["sub_questions"][0]["id"] == "q1"
    assert [(entry["sub_question_id"], entry["evidence"]) for entry in state["ledger"]] == [("q1", [])]


def test_new_queries_replace_the_old() -> None:
    state = edited(rewritten_queries=[{"text": " x ", "gap": "q2"}, {"text": "y"}])
    assert state["rewritten_queries"] == [{"text": "x", "gap": "q2"}, {"text": "y", "gap": None}]


@pytest.mark.parametrize(
    ("upcoming", "edits"),
    [
        ("route", {"sub_questions": [{"text": "x"}]}),
        ("evaluate", {"rewritten_queries": [{"text": "x"}]}),
        ("rewrite", {"filters": {"year": 2024}}),
        ("generate", {"filters": {"year": 2024}}),
        ("evaluate", {"question": "Other?"}),
    ],
)
def test_an_edit_that_nothing_would_read_is_refused(upcoming: str, edits: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match="can be edited"):
        edited(upcoming, **edits)


def test_the_first_rewrite_would_replace_a_checklist_and_a_later_one_does_not() -> None:
    fresh = cast(RAGState, {**KEPT, "sub_questions": []})
    with pytest.raises(BadRequest):
        edited("rewrite", fresh, sub_questions=[{"text": "x"}])
    assert edited("rewrite", sub_questions=[{"text": "x"}])["sub_questions"][0]["text"] == "x"


@pytest.mark.parametrize(
    "edits",
    [
        {"sub_questions": []},
        {"sub_questions": "x"},
        {"sub_questions": ["x"]},
        {"sub_questions": [{"text": ""}]},
        {"sub_questions": [{"text": "x", "why": 1}]},
        {"sub_questions": [{"text": f"{n}"} for n in range(7)]},
        {"sub_questions": [{"text": "x", "required": False}]},
        {"sub_questions": [{"text": "Thing 1?"}, {"text": "Thing 1?"}]},
        {"rewritten_queries": []},
        {"rewritten_queries": [{"text": "x", "gap": "q9"}]},
        {"rewritten_queries": [{"text": 1}]},
        {"rewritten_queries": None},
    ],
)
def test_a_value_that_cannot_be_used_is_refused_in_a_sentence(edits: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        edited(**edits)
    assert refused.value.sentence.endswith(".")


def test_a_sub_question_reworded_under_its_id_is_searched_for_anew() -> None:
    closed = {"best": 0.0, "barren": 2, "change": "closed", "documents": []}
    kept: Any = {**KEPT, "strategies": [{"sub_question_id": name, **closed} for name in ("q1", "q2")]}
    state = edited(kept=kept, sub_questions=[{"id": "q1", "text": "Quite another thing?"}, {"text": "Thing 2?"}])
    assert [strategy["sub_question_id"] for strategy in state["strategies"]] == ["q2"]


def test_after_the_route_the_checklist_is_as_the_new_modes_route_leaves_it() -> None:
    searched = edited("rewrite", state(), "route", mode="bm25")
    assert searched["sub_questions"] == [{"id": "q1", "text": "Q?", "required": True}]
    planned = edited("retrieve", searched, "route", mode="loop")
    assert (planned["sub_questions"], planned["mode"]) == ([], "loop")
    assert edited("retrieve", searched, "route", mode="naive")["sub_questions"] == searched["sub_questions"]


def test_what_was_planned_beside_the_route_is_dropped_with_the_plan_and_kept_with_it() -> None:
    dropped = edited("rewrite", KEPT, "route", mode="hybrid")
    assert ([q["text"] for q in dropped["sub_questions"]], dropped["rewritten_queries"]) == (["Q?"], [])
    assert edited("rewrite", KEPT, "route", mode="self_query") == {**KEPT, "mode": "self_query"}


def test_a_checklist_may_come_with_a_mode_that_writes_none() -> None:
    both = edited("rewrite", state(), "route", mode="bm25", sub_questions=[{"text": "Thing?"}])
    assert [q["text"] for q in both["sub_questions"]] == ["Thing?"]
    with pytest.raises(BadRequest, match="after the first rewrite"):
        edited("retrieve", both, "route", mode="loop", sub_questions=[{"text": "Thing?"}])


@pytest.mark.parametrize(
    ("written_by", "upcoming"), [("route", "generate"), ("rewrite", "handoff"), ("handoff", "generate")]
)
def test_a_mode_that_nothing_would_read_is_no_edit(written_by: str, upcoming: str) -> None:
    with pytest.raises(BadRequest, match="not at this step"):
        edited(upcoming, KEPT, written_by, mode="bm25")
    assert edited("generate", KEPT, "evaluate", mode="bm25")["mode"] == "bm25"
