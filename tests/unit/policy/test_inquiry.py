"""How an agent's search stands, from its calls alone."""

from __future__ import annotations

from typing import Any, cast

import pytest

from policy.decide import decide
from policy.inquiry import after_call, asked_before, calls_of, inquiry_of, is_over, noted, nothing_asked, unsettled
from state import RAGState, SubQuestion, ToolCall
from tests.fakes.run import NOW, state

ITEMS: list[SubQuestion] = [
    {"id": "q1", "text": "who pays", "required": True},
    {"id": "q2", "text": "since when", "required": True},
    {"id": "q3", "text": "anything else", "required": False},
]


def call(tool: str, outcome: str = "done", *chunks: str, **arguments: Any) -> ToolCall:
    hits = [{"chunk_id": chunk, "doc_id": "d", "title": "T", "start": 0, "end": 1} for chunk in chunks]
    made = {"tool": tool, "arguments": arguments, "round": 0, "outcome": outcome, "hits": hits, "remark": ""}
    return cast(ToolCall, made)


def noting(item: str, chunk: str, outcome: str = "done") -> ToolCall:
    return call("note", outcome, chunk, sub_question=item, chunk=chunk)


def at(*calls: ToolCall, **changed: Any) -> RAGState:
    return state(mode="agent", sub_questions=ITEMS, tool_calls=list(calls), visible_chunks=1, **changed)


def test_threads_of_before_there_was_an_agent_have_asked_nothing() -> None:
    old = cast(RAGState, {k: v for k, v in state().items() if k not in ("tool_calls", "inquiry")})
    assert (calls_of(old), inquiry_of(old)) == ([], nothing_asked())


def test_a_note_counts_for_its_item_once_it_was_taken() -> None:
    calls = [noting("q1", "a"), noting("q1", "b"), noting("q1", "a", "repeated"), noting("q2", "c", "wrong")]
    assert [noted(calls, item["id"]) for item in ITEMS] == [["a", "b"], [], []]


def test_what_is_unsettled_is_required_and_has_no_note_left_to_judge() -> None:
    judged = [{"sub_question_id": "q1", "chunk_id": "a", "score": 0.3}]
    assert [q["id"] for q in unsettled(at())] == ["q1", "q2"]
    assert [q["id"] for q in unsettled(at(noting("q1", "a")))] == ["q2"]
    assert [q["id"] for q in unsettled(at(noting("q1", "a"), graded=judged))] == ["q1", "q2"]


def test_only_a_call_that_was_carried_out_is_remembered() -> None:
    calls = [call("search", "unavailable", query="a"), call("search", "nothing", query="b")]
    assert asked_before(calls, "search", {"query": "a"}) is None
    assert asked_before(calls, "search", {"query": "b"}) is calls[1]
    assert asked_before(calls, "find", {"query": "b"}) is None


@pytest.mark.parametrize(
    ("last", "before", "after"),
    [
        (call("search"), (0, [], None), (1, [], None)),
        (call("search"), (1, [], None), (2, ["barren"], None)),
        (call("search", "wrong"), (1, [], None), (1, [], None)),
        (call("search", "refused"), (3, ["barren"], None), (3, ["barren"], "barren")),
        (call("search", "refused"), (1, [], None), (1, [], None)),
        (call("open"), (1, ["open"], None), (1, ["open"], None)),
        (noting("q1", "a"), (2, ["open", "barren"], None), (0, ["open"], None)),
        (call("finish", "refused"), (0, [], None), (0, ["open"], None)),
        (call("finish"), (0, ["open"], None), (0, ["open"], "gave_up")),
    ],
)
def test_what_a_call_makes_of_it(last: ToolCall, before: Any, after: Any) -> None:
    def inquiry(barren: int, told: list[str], ended: str | None) -> dict[str, Any]:
        return {"barren": barren, "told": told, "ended": ended}

    assert after_call(at(last, inquiry=inquiry(*before))) == inquiry(*after)


@pytest.mark.parametrize(
    ("ended", "kind", "retry_count", "over"),
    [
        ("finished", "missing", 0, False),
        ("gave_up", "missing", 0, True),
        ("barren", "missing", 0, True),
        ("gave_up", "conflict", 0, False),
        ("finished", "missing", 1, True),
        ("finished", "conflict", 1, True),
    ],
)
def test_one_way_leads_back_and_only_from_an_end_that_promised_something(
    ended: str, kind: str, retry_count: int, over: bool
) -> None:
    gap = {"sub_question_id": "q1", "kind": kind, "text": "who pays", "tried": []}
    inquiry = {**nothing_asked(), "ended": ended}
    then = at(inquiry=inquiry, gaps=[gap], retry_count=retry_count, lanes=[])
    assert is_over(then) is over
    reason = decide(then, then["dials"], NOW, at="evaluate")
    assert reason == ("no_new_evidence" if over else None)
