"""The agent's node, called with a state and a script: what it tells, counts and ends for."""

from __future__ import annotations

from typing import Any

import pytest

from context.tools import ToolChoice
from evidence import Gap, GradedPair
from nodes.agent import agent
from policy.inquiry import inquiry_of
from policy.remarks import STOPPED
from state import RAGState, SubQuestion
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import NOW, dials, runtime, state

ITEMS: list[SubQuestion] = [
    {"id": "q1", "text": "who pays the fee", "required": True},
    {"id": "q2", "text": "since when", "required": False},
]
FEE = passage("The owner pays the fee.", doc_id="fees")
FINISH = ToolChoice("finish")
NOTE = ToolChoice("note", {"sub_question": "q1", "chunk": FEE.chunk_id, "quote": "The owner pays"})


def search(query: str) -> ToolChoice:
    return ToolChoice("search", {"query": query})


def begun(**changed: Any) -> RAGState:
    return state("who pays the fee", mode="agent", language="en", sub_questions=ITEMS, visible_chunks=1, **changed)


async def after(*choices: ToolChoice, start: RAGState | None = None, **changed: Any) -> RAGState:
    """The state after these choices, as many of them as it takes to end the search."""
    at, reasoner = start or begun(**changed), ScriptedReasoner(choose_tool=list(choices), calls_models=False)
    run = runtime(reasoner, MemoryRetriever([FEE]))
    for _ in choices:
        at = {**at, **await agent(at, run)}
        if inquiry_of(at)["ended"]:
            break
    return at


def remarks(at: RAGState) -> list[str]:
    return [call["remark"] for call in at["tool_calls"]]


async def test_one_call_a_step_is_counted_and_kept_without_text() -> None:
    at = await after(search("fee"), NOTE)
    assert [(call["tool"], call["outcome"]) for call in at["tool_calls"]] == [("search", "done"), ("note", "done")]
    assert (at["spent"]["tool_calls"], at["spent"]["searches"], at["stop_reason"]) == (2, 1, None)
    assert "The owner" not in str(at["tool_calls"])


async def test_it_may_finish_when_all_that_is_required_is_noted() -> None:
    at = await after(search("fee"), NOTE, FINISH)
    assert (inquiry_of(at)["ended"], at["stop_reason"]) == ("finished", None)


async def test_finishing_with_something_open_is_told_once_and_then_given_up() -> None:
    told = await after(search("fee"), FINISH)
    assert inquiry_of(told) == {"barren": 1, "told": ["open"], "ended": None}
    assert "who pays the fee" in remarks(told)[-1]
    assert "since when" not in remarks(told)[-1]
    gave_up = await after(FINISH, start=told)
    assert (inquiry_of(gave_up)["ended"], gave_up["stop_reason"]) == ("gave_up", "no_new_evidence")


async def test_two_searches_without_a_note_are_told_and_one_more_for_nothing_ends_it() -> None:
    choices = [search("fee"), search("owner"), search("the fee"), search("the owner")]
    told = await after(*choices[:2])
    assert (inquiry_of(told)["told"], "2 searches" in remarks(told)[-1]) == (["barren"], True)
    stopped = await after(*choices)
    assert (inquiry_of(stopped)["ended"], stopped["stop_reason"]) == ("barren", "no_new_evidence")
    assert remarks(stopped)[-1] == STOPPED["en"]
    assert stopped["spent"]["searches"] == 3


async def test_a_note_begins_the_count_of_searches_anew() -> None:
    at = await after(search("fee"), search("owner"), NOTE)
    assert inquiry_of(at) == {"barren": 0, "told": [], "ended": None}


async def test_repeats_count_as_calls_and_as_searches_without_evidence() -> None:
    at = await after(search("fee"), search("fee"))
    assert (at["spent"]["tool_calls"], at["spent"]["searches"]) == (2, 1)
    assert inquiry_of(at)["told"] == ["barren"]


async def test_wrong_calls_count_and_the_last_one_that_is_allowed_ends_it() -> None:
    wrong = ToolChoice("delete", {"doc": "fees"})
    at = await after(wrong, wrong, wrong, dials=dials(max_tool_calls=2))
    assert (len(at["tool_calls"]), at["spent"]["tool_calls"]) == (2, 2)
    assert (inquiry_of(at)["ended"], at["stop_reason"]) == ("call_budget", "call_budget")


@pytest.mark.parametrize(
    ("low", "reason"),
    [({"max_model_calls": 2}, "call_budget"), ({"max_tokens": 9_000}, "token_budget")],
)
async def test_what_grading_and_the_answer_cost_is_left_to_them(low: dict[str, Any], reason: str) -> None:
    """No script: the model is not asked."""
    at = begun(dials=dials(**low))
    update = await agent(at, runtime(ScriptedReasoner(), MemoryRetriever([FEE])))
    assert (update["stop_reason"], update["inquiry"]["ended"]) == (reason, reason)


async def test_out_of_time_it_ends() -> None:
    run = runtime(ScriptedReasoner(), MemoryRetriever([FEE]), now=NOW + 100)
    update = await agent(begun(), run)
    assert (update["stop_reason"], update["inquiry"]["ended"]) == ("deadline", "deadline")


async def test_sent_back_it_begins_a_round_and_is_told_the_gaps() -> None:
    at = await after(search("fee"), NOTE, FINISH)
    judged: list[GradedPair] = [{"sub_question_id": "q1", "chunk_id": FEE.chunk_id, "score": 0.2}]
    gap: Gap = {"sub_question_id": "q1", "kind": "missing", "text": "who pays the fee", "tried": []}
    back: RAGState = {**at, "gaps": [gap], "graded": judged}
    reasoner = ScriptedReasoner(choose_tool=[FINISH], calls_models=False)
    update = await agent(back, runtime(reasoner, MemoryRetriever([FEE])))
    assert reasoner.tool_requests[0].gaps == (gap,)
    assert [item["id"] for item in reasoner.tool_requests[0].open] == ["q1"]
    assert (update["retry_count"], update["inquiry"]["ended"]) == (1, "gave_up")


async def test_the_model_sees_the_text_again_as_the_asker_may_read_it_now() -> None:
    at = await after(search("fee"))
    for passages, seen in (([FEE], ["The owner pays the fee."]), ([], [])):
        reasoner = ScriptedReasoner(choose_tool=[FINISH], calls_models=False)
        await agent(at, runtime(reasoner, MemoryRetriever(passages)))
        (step,) = reasoner.tool_requests[0].steps
        assert [place.passage.text for place in step.places] == seen
