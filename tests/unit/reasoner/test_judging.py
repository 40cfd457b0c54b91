"""A provider that refuses one passage, and a window that is too small: the rest is judged all the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from context.reasoning import AnswerRequest, GradeRequest, Usage
from context.retrieval import Passage
from errors import BadRequest
from reasoner.llm import LLMReasoner
from state import Turn
from tests.fakes.chat_reply import Body
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.misbehaviour import Misbehaviour
from tests.unit.reasoner import samples

BAD = "harmless but refused"


def grading(texts: Sequence[str], max_calls: int = 4) -> GradeRequest:
    passages = tuple(Passage(f"c{n}", f"d{n}", "1", "", "", text) for n, text in enumerate(texts))
    return dataclasses.replace(samples.grade_request(), passages=passages, max_calls=max_calls)


def nothing_fits(body: Body) -> Body:
    return {"reason": "", "grades": [], "contradictions": []}


@pytest.mark.parametrize("bad", range(9))
async def test_one_refused_passage_costs_few_others(reasoner: LLMReasoner, endpoint: FakeEndpoint, bad: int) -> None:
    """Case A19, at grade."""
    endpoint.misbehaviour = Misbehaviour(moderates=BAD)
    endpoint.always("grade", nothing_fits)
    texts = [BAD if n == bad else f"text {n}" for n in range(9)]
    said = await reasoner.grade(grading(texts))
    judged = {judgement.chunk_id for judgement in said.value}
    assert f"c{bad}" not in judged
    assert len(judged) >= 5
    assert len(said.usage) == len(endpoint.calls) <= 4
    prompts = [call.prompt for call in endpoint.calls]
    assert len(prompts) == len(set(prompts)), "no prompt is sent twice"


async def test_with_calls_enough_only_the_refused_one_is_left_out_and_never_sent_again(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    endpoint.misbehaviour = Misbehaviour(moderates=BAD)
    endpoint.always("grade", nothing_fits)
    texts = ["a", "b", "c", BAD, "e"]
    said = await reasoner.grade(grading(texts, max_calls=10))
    assert {judgement.chunk_id for judgement in said.value} == {"c0", "c1", "c2", "c4"}
    endpoint.calls.clear()
    await reasoner.grade(grading(texts))
    assert len(endpoint.calls) == 1


async def test_a_conversation_that_is_refused_is_left_out_from_then_on(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    endpoint.misbehaviour = Misbehaviour(moderates=BAD)
    endpoint.always("route", lambda body: {"reason": "", "need_retrieval": True, "standalone": "s"})
    endpoint.always("answer", lambda body: "fine")
    history: tuple[Turn, ...] = ({"question": "q", "standalone": "q", "answer": BAD},)
    asked = dataclasses.replace(samples.route_request(), history=history, max_calls=4)
    assert (await reasoner.route(asked)).value.standalone == "s"
    answered = dataclasses.replace(samples.cited_answer(), history=history)
    assert [piece async for piece in reasoner.answer(answered) if isinstance(piece, str)] == ["fine"]
    assert len(endpoint.of("answer")) == 1


async def test_a_question_that_is_refused_is_said_to_be(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.misbehaviour = Misbehaviour(moderates=BAD)
    with pytest.raises(BadRequest) as caught:
        await reasoner.route(dataclasses.replace(samples.route_request(), question=BAD, max_calls=4))
    assert caught.value.reason == "model_refused"


async def test_what_is_too_long_is_trimmed_once(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    texts = ["x" * 4_000] * 4
    endpoint.misbehaviour = Misbehaviour(window=15_000)
    endpoint.always("grade", nothing_fits)
    said = await reasoner.grade(grading(texts))
    assert {judgement.chunk_id for judgement in said.value} == {"c0", "c1"}
    endpoint.misbehaviour = Misbehaviour(window=1_000)
    with pytest.raises(BadRequest):
        await reasoner.grade(grading(texts))
    assert len(endpoint.calls) == 4


async def test_an_answer_that_is_too_long_has_fewer_sources(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.always("answer", lambda body: "fine [1]")
    asked: AnswerRequest = dataclasses.replace(samples.cited_answer(), max_calls=2)
    long = tuple(
        dataclasses.replace(s, passage=dataclasses.replace(s.passage, text="y" * 6_000)) for s in asked.sources
    )
    endpoint.misbehaviour = Misbehaviour(window=6_000 * len(long))
    said = [piece async for piece in reasoner.answer(dataclasses.replace(asked, sources=long))]
    assert said[0] == "fine [1]"
    assert [piece.input_tokens > 0 for piece in said if isinstance(piece, Usage)] == [False, True]
