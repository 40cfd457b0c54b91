"""With a draft beside the rounds no budget is broken either, and what is kept for the answer is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver

from context.reasoning import AnswerRequest, Usage
from context.retrieval import Principal
from context.run import Context
from errors import Unavailable
from graph.build import build
from runs.ask import Ask, ask
from runs.engine import Engine, config
from state import RAGState
from tests.fakes.machine import Ran
from tests.fakes.run import dials
from tests.fakes.time import in_virtual_time
from tests.integration.test_budgets_hold import (
    ENOUGH_FOR_AN_ANSWER,
    PASSAGES,
    Chance,
    Dawdling,
    Fickle,
    stopped_for_one_reason,
    within_budget,
)

TIGHT = st.fixed_dictionaries(
    {
        "max_retries": st.integers(1, 3),
        "max_searches": st.just(8),
        "max_model_calls": st.integers(4, 8),
        "max_tokens": st.sampled_from([5_000, 16_800, 17_000, 19_000, 40_000]),
        "deadline_s": st.sampled_from([10.0, 45.0]),
        "max_barren_rounds": st.just(3),
    }
)
"""Where a call too many would be one over the budget."""


@dataclass
class Drafting(Fickle):
    """Tells a draft, whose sources nobody judged, from an answer."""

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        answered = self.answered
        async for piece in super().answer(request):
            if request.sources and not request.sources[0].sub_question_ids:
                self.answered = answered
            yield piece


async def at_once(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """In place of a thread, whose end would come at another moment each time."""
    return function(*arguments, **named)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(TIGHT, st.sampled_from([1, 3, 5, 5]), st.data())
def test_a_draft_stays_within_the_budget_and_takes_nothing_from_the_answer(
    low: dict[str, Any], passages: int, data: st.DataObject
) -> None:
    limits, chance = dials(**low), Chance(data)
    reasoner, retriever = Drafting(chance), Dawdling(PASSAGES[:passages], chance)

    async def run(clock: Callable[[], float]) -> Ran:
        saver = InMemorySaver()
        engine = Engine(build(saver), saver, lambda who: Context(reasoner, retriever, clock, who, limits))
        started, events = clock(), []
        async for one in ask(engine, Principal(), Ask("who pays the fee", draft=True)):
            events.append(one)
        kept = await engine.graph.aget_state(config(events[0].data["thread_id"]))
        said = [one.data["text"] for one in events if one.type == "token"]
        event("drafted" if any(one.type == "draft" for one in events) else "no draft")
        return Ran(cast(RAGState, kept.values), said, [], clock() - started)

    lost = ""
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncio, "to_thread", at_once)
            ran = in_virtual_time(run)
    except Unavailable as error:
        lost = error.reason
    if lost:
        assert chance.refused or lost == "source_unavailable"
        return
    within_budget(ran, limits, chance)
    stopped_for_one_reason(ran.state, limits)
    assert "".join(ran.said) == ran.state["answer"]
    if ran.state["citations"] and not chance.worst_error and limits["max_tokens"] >= ENOUGH_FOR_AN_ANSWER:
        assert reasoner.answered
