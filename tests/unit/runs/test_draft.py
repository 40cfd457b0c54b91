"""A draft beside the graph: told before the answer, on its own share of the budget, judged by what the answer says."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from context.reasoning import AnswerRequest, Route, Usage
from errors import Unavailable
from runs.ask import Ask, ask
from runs.engine import MODES, config
from runs.events import Event
from runs.history import history
from runs.stream import opened
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import ALICE, TEXTS, dials, engine_over, grading, scripted

QUESTION = Ask("How many days of paid leave?", draft=True)
LEAVE = "Employees have 20 days of paid leave a year [1]."
CALL = Usage("m", 100, 10, estimated=False)


class Drafter:
    """Grades only once the draft was told, so that it always comes first; says one text as a draft, another at last."""

    def __init__(self, draft: Any, answer: Any, score: float = 0.95) -> None:
        self.said = [draft, answer]
        self.told = asyncio.Event()
        self.grade: Callable[[Any], Any] = grading(score)
        self.reasoner = scripted(grade=self._grade, answer=self._answer, usage=(CALL,))

    async def _grade(self, request: Any) -> Any:
        async with asyncio.timeout(5):
            await self.told.wait()
        return self.grade(request)

    def _answer(self, request: AnswerRequest) -> Any:
        said = self.said.pop(0)
        return said(request) if callable(said) else said


async def run(drafter: Drafter, question: Ask = QUESTION, **options: Any) -> list[Event]:
    async with engine_over(drafter.reasoner, **options) as engine:
        return await heard(drafter, await opened(ask(engine, ALICE, question)))


async def heard(drafter: Drafter, events: Any) -> list[Event]:
    seen = []
    async with aclosing(events):
        async for event in events:
            seen.append(event)
            if event.type == "draft":
                drafter.told.set()
    return seen


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events if event.type != "node"]


@pytest.mark.parametrize("mode", MODES)
async def test_a_draft_comes_before_the_answer_which_confirms_it(mode: str) -> None:
    events = await run(Drafter(LEAVE, LEAVE), replace(QUESTION, mode=mode))
    draft = next(event.data for event in events if event.type == "draft")
    answer = events[-2].data
    assert types(events) == ["run", "draft", "token", "answer", "done"]
    assert (draft["text"], draft["verified"]) == (LEAVE, False)
    assert [(c["number"], c["doc_id"], c["quote"]) for c in draft["citations"]] == [(1, "leave", TEXTS["leave"])]
    assert answer["draft"] == {"text": LEAVE, "verdict": "confirmed"}
    assert answer["answer"] == LEAVE


@pytest.mark.parametrize(
    ("draft", "answer", "score", "verdict"),
    [
        (LEAVE, "Employees have 25 days of paid leave a year [1].", 0.95, "changed"),
        (LEAVE, "Employees do not have 20 days of paid leave a year [1].", 0.95, "changed"),
        (LEAVE, "Twenty paid days off yearly are due to staff [1].", 0.95, "changed"),
        (LEAVE, "nothing, for want of evidence", 0.1, "withdrawn"),
    ],
)
async def test_what_became_of_it_is_told(draft: str, answer: str, score: float, verdict: str) -> None:
    events = await run(Drafter(draft, answer, score), limits=dials(max_retries=0))
    assert events[-2].data["draft"] == {"text": draft, "verdict": verdict}


async def test_its_call_is_counted_with_the_others_and_kept_with_the_thread() -> None:
    drafter = Drafter([LEAVE, CALL], [LEAVE, CALL])
    async with engine_over(drafter.reasoner) as engine:
        events = await heard(drafter, await opened(ask(engine, ALICE, QUESTION)))
        said = events[-2].data
        kept = (await engine.graph.aget_state(config(said["thread_id"]))).values
        steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
    assert drafter.reasoner.calls.count("answer") == 2
    assert said["usage"]["model_calls"] == len(drafter.reasoner.calls) == 5
    assert said["usage"]["reported"] == {"input_tokens": 500, "output_tokens": 50}
    assert kept["spent"]["model_calls"] == 5
    assert steps[-2]["changed"]["spent"]["model_calls"] == 4
    assert "draft" not in kept


async def test_a_draft_that_is_not_done_in_time_is_cancelled_and_counted_as_far_as_it_came() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(request: AnswerRequest) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    drafter = Drafter(slow, [LEAVE, CALL])
    drafter.told = begun
    events = await run(drafter)
    assert cancelled.is_set()
    assert types(events) == ["run", "token", "answer", "done"]
    answer = events[-2].data
    assert answer["draft"] is None
    assert answer["usage"]["model_calls"] == 5
    assert answer["usage"]["estimated"]["input_tokens"] > 100


@pytest.mark.parametrize(
    "said",
    [
        "Employees have 20 days of paid leave a year. There are 400 more days.",
        "Hello there.",
        [Unavailable("The model does not answer.", code="model_down")],
        ["Employees have 20", Unavailable("The model does not answer.", code="model_down")],
    ],
)
async def test_a_draft_that_no_source_bears_is_not_told(said: Any) -> None:
    drafter = Drafter(said, LEAVE)
    drafter.told.set()
    events = await run(drafter)
    assert "draft" not in types(events)
    assert (events[-2].data["status"], events[-2].data["draft"]) == ("answered", None)


@pytest.mark.parametrize("limits", [{"max_model_calls": 4}, {"max_tokens": 16_000}])
async def test_without_budget_for_it_there_is_none_and_the_answer_is_as_it_would_have_been(limits: Any) -> None:
    reasoner = scripted(answer=[[LEAVE, CALL]], usage=(CALL,))
    async with engine_over(reasoner, limits=dials(**limits)) as engine:
        events = [event async for event in ask(engine, ALICE, QUESTION)]
    assert "draft" not in types(events)
    assert events[-1].data["draft"] is None
    assert events[-1].data["status"] == "answered"


async def test_what_is_kept_for_it_is_not_spent_by_the_rounds() -> None:
    drafter = Drafter([LEAVE, CALL], "", 0.1)
    events = await run(drafter, limits=dials(max_model_calls=6))
    answer = events[-2].data
    assert (answer["stop_reason"], answer["draft"]["verdict"]) == ("call_budget", "withdrawn")
    assert sorted(drafter.reasoner.calls) == ["answer", "grade", "rewrite", "route"]
    assert answer["usage"]["model_calls"] == 4


async def test_a_draft_that_turns_out_to_be_one_side_of_a_conflict_was_changed() -> None:
    index = MemoryIndex({"a": "Parental leave lasts 14 weeks.", "b": "Parental leave lasts 20 weeks."})
    said = "Parental leave lasts 14 weeks [1]."
    drafter = Drafter(said, said)
    events = await run(drafter, Ask("How long does parental leave last?", draft=True), retriever=index)
    answer = events[-2].data
    assert (answer["stop_reason"], answer["draft"]["verdict"]) == ("conflict", "changed")


async def test_small_talk_and_an_empty_index_have_no_draft() -> None:
    for question, reasoner, index in (
        ("hi", ScriptedReasoner(route=[Route(False, "greeting", "hi")], answer=["Hello."]), MemoryIndex(TEXTS)),
        (QUESTION.question, scripted(answer=[]), MemoryIndex({})),
    ):
        async with engine_over(reasoner, index) as engine:
            events = [event async for event in ask(engine, ALICE, Ask(question, draft=True))]
        assert "draft" not in types(events)


async def test_a_question_that_goes_to_a_person_withdraws_its_draft_and_keeps_its_cost() -> None:
    drafter = Drafter([LEAVE, CALL], "", 0.1)
    asked = Ask(QUESTION.question, draft=True, handoff=True, budget={"max_retries": 0})
    async with engine_over(drafter.reasoner) as engine:
        events = await heard(drafter, await opened(ask(engine, ALICE, asked)))
        said = events[-2].data
        kept = (await engine.graph.aget_state(config(said["thread_id"]))).values
    assert types(events) == ["run", "draft", "token", "interrupt", "answer", "done"]
    assert said["draft"]["verdict"] == "withdrawn"
    assert kept["spent"]["model_calls"] == said["usage"]["model_calls"] == 4


async def test_only_what_the_asker_may_read_is_in_it() -> None:
    index = MemoryIndex(TEXTS)

    async def nothing(chunk_ids: Any, principal: Any) -> Any:
        return {}

    drafter = Drafter(LEAVE, LEAVE, 0.1)
    drafter.told.set()
    index.read = nothing  # type: ignore[method-assign]  # what was found was withdrawn since
    events = await run(drafter, retriever=index)
    assert "draft" not in types(events)
    assert "answer" not in drafter.reasoner.calls


async def test_a_client_that_leaves_ends_the_draft_too() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(request: AnswerRequest) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    drafter = Drafter(slow, LEAVE)
    async with engine_over(drafter.reasoner) as engine:
        running = asyncio.create_task(heard(drafter, ask(engine, ALICE, QUESTION)))
        async with asyncio.timeout(5):
            await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert cancelled.is_set()
        assert not engine.locks._running
