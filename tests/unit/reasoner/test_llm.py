"""The four kinds of call over real HTTP."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable

import pytest

from context.reasoning import Judgement, ProposedQuery, Reasoned, Reasoner, Rewrite, Route, Usage
from errors import Unavailable
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import LLMReasoner
from state import Language
from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.unit.reasoner import samples
from tests.unit.reasoner.conftest import Open, acquaint

REPORTED = (Usage("large-model", 11, 7, estimated=False),)
ROUTE: Body = {"reason": "a rule", "need_retrieval": True, "standalone": "Who pays for the gate?"}


def test_it_is_a_reasoner_named_by_models_and_prompts(reasoner: LLMReasoner, open_reasoner: Open) -> None:
    seam: Reasoner = reasoner
    assert seam.name.startswith("llm:large-model:prompts-")
    two = open_reasoner(ChatEndpoint("large"), ChatEndpoint("small"))
    assert two.name.startswith("llm:small+large:prompts-")


async def test_route(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", ROUTE)
    said = await reasoner.route(samples.route_request())
    assert said == Reasoned(Route(True, "a rule", "Who pays for the gate?"), REPORTED)
    assert "<question>\nWho pays for the broken gate?\n</question>" in endpoint.of("route")[0].prompt


async def test_a_first_rewrite(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script(
        "rewrite",
        {
            "reason": "two things",
            "sub_questions": [{"text": "who bears it", "required": True}],
            "queries": [{"text": "repair cost", "sub_question": 1}, {"text": "gate", "sub_question": 0}],
        },
    )
    said = await reasoner.rewrite(samples.first_rewrite())
    queries = (ProposedQuery("repair cost", 1), ProposedQuery("gate", None))
    assert said == Reasoned(Rewrite((("who bears it", True),), queries), REPORTED)


async def test_a_later_rewrite_asks_for_no_checklist(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("rewrite", {"reason": "words", "queries": [{"text": "photo", "sub_question": 2}]})
    said = await reasoner.rewrite(samples.later_rewrite())
    assert said.value == Rewrite((), (ProposedQuery("photo", 2),))
    assert "sub_questions" not in endpoint.calls[0].body["response_format"]["json_schema"]["schema"]["properties"]


async def test_grade(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    grade = {
        "passage": 2,
        "sub_question": 2,
        "reason": "says it",
        "quote": "A photo  proves",
        "band": "direct",
        "score": 3,
    }
    endpoint.script("grade", {"reason": "one fits", "grades": [grade], "contradictions": []})
    said = await reasoner.grade(samples.grade_request())
    fits = [judgement for judgement in said.value if judgement.band != "irrelevant"]
    assert fits == [Judgement("sq-b", samples.PASSAGES[1].chunk_id, "A photo proves", "says it", "direct", 1.0)]
    assert len(said.value) == 6
    assert said.usage == REPORTED


async def test_an_answer_streams_in_order_and_ends_with_its_usage(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    await acquaint(reasoner, endpoint)
    pieces = ["The owner", " pays [1].", "\n\n", "维修费由业主承担[1]。", "🙂"]
    endpoint.script("answer", Reply(pieces, usage=(21, 9)))
    asked = dataclasses.replace(samples.cited_answer(), max_calls=2)
    said = [piece async for piece in reasoner.answer(asked)]
    assert said == [*pieces, Usage("large-model", 21, 9, estimated=False)]
    assert endpoint.calls[0].body["stream_options"] == {"include_usage": True}


async def test_only_the_first_answer_is_held_to_its_end(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    """A reply in a form says nothing of how the model answers in free words."""
    endpoint.script("route", ROUTE)
    await reasoner.route(samples.route_request())
    endpoint.always("answer", lambda body: ["a", "b"])
    said = [[piece async for piece in reasoner.answer(samples.direct_answer())] for _ in range(2)]
    assert [[piece for piece in pieces if isinstance(piece, str)] for pieces in said] == [["ab"], ["a", "b"]]


async def test_thought_beside_the_content_of_a_form_lets_the_first_answer_flow(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    endpoint.script("route", Reply([json.dumps(ROUTE)], reasoning="I weigh"))
    await reasoner.route(samples.route_request())
    endpoint.script("answer", ["a", "b"])
    said = [piece async for piece in reasoner.answer(samples.direct_answer())]
    assert said[:2] == ["a", "b"]


async def test_a_direct_reply_shows_no_passages(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("answer", "You are welcome.")
    said = [piece async for piece in reasoner.answer(samples.direct_answer())]
    assert said[0] == "You are welcome."
    assert "<passages>" not in endpoint.calls[0].prompt
    assert "<reason>\nthanks\n</reason>" in endpoint.calls[0].prompt


async def test_thought_before_a_reply_is_dropped(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", '<think>{"need_retrieval": "}</think>\n' + json.dumps(ROUTE))
    endpoint.script("answer", Reply(["<th", "ink>hm", "m</think>", "\nThe owner."], reasoning="hmm"))
    assert (await reasoner.route(samples.route_request())).value.reason == "a rule"
    said = [piece async for piece in reasoner.answer(samples.cited_answer())]
    assert said[:-1] == ["The owner."]


async def test_unreported_usage_is_estimated_and_marked(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", Reply(['{"reason": "r", "need_retrieval": true, "standalone": "s"}'], usage=None))
    endpoint.script("answer", Reply(["维修费由业主承担。"] * 10, usage=None))
    (decided,) = (await reasoner.route(samples.route_request())).usage
    *_, answered = [piece async for piece in reasoner.answer(samples.cited_answer("zh"))]
    assert isinstance(answered, Usage)
    assert decided.estimated
    assert 300 < decided.input_tokens < 700
    assert (answered.estimated, answered.output_tokens) == (True, 54)


async def test_usage_of_zero_is_not_a_report(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("answer", Reply(["hello"], usage=(0, 0)))
    *_, usage = [piece async for piece in reasoner.answer(samples.direct_answer())]
    assert isinstance(usage, Usage)
    assert usage.estimated
    assert usage.input_tokens > 0


async def test_the_small_model_decides_and_the_large_one_answers(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    reasoner = open_reasoner(chat_endpoint, dataclasses.replace(chat_endpoint, model="small-model"))
    endpoint.script("route", ROUTE)
    endpoint.script("rewrite", {"reason": "", "sub_questions": [], "queries": []})
    endpoint.script("grade", {"reason": "", "grades": [], "contradictions": []})
    endpoint.script("answer", "ok")
    usage = (await reasoner.route(samples.route_request())).usage
    await reasoner.rewrite(samples.first_rewrite())
    await reasoner.grade(samples.grade_request())
    assert [piece async for piece in reasoner.answer(samples.direct_answer())]
    assert [call.body["model"] for call in endpoint.calls] == ["small-model"] * 3 + ["large-model"]
    assert usage[0].model == "small-model"


@pytest.mark.parametrize(("language", "word"), [("en", "knowledge base"), ("zh", "知识库")])
async def test_prompts_speak_the_language_of_the_request(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, language: Language, word: str
) -> None:
    endpoint.script("route", ROUTE)
    endpoint.script("grade", {"reason": "", "grades": [], "contradictions": []})
    endpoint.script("answer", "ok")
    await reasoner.route(samples.route_request(language))
    await reasoner.grade(samples.grade_request(language))
    assert [piece async for piece in reasoner.answer(samples.cited_answer(language))]
    assert [word in call.body["messages"][0]["content"] for call in endpoint.calls] == [True] * 3


async def test_every_call_is_cold_and_every_schema_reasons_first(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", ROUTE)
    endpoint.script("grade", {"reason": "", "grades": [], "contradictions": []})
    endpoint.script("rewrite", {"reason": "", "queries": []}, {"reason": "", "sub_questions": [], "queries": []})
    endpoint.script("answer", "ok")
    await reasoner.route(samples.route_request())
    await reasoner.grade(samples.grade_request())
    await reasoner.rewrite(samples.later_rewrite())
    await reasoner.rewrite(samples.first_rewrite())
    assert [piece async for piece in reasoner.answer(samples.cited_answer())]
    assert {call.body["temperature"] for call in endpoint.calls} == {0}
    forms = [call.body["response_format"]["json_schema"] for call in endpoint.calls[:-1]]
    assert [form["name"] for form in forms] == ["route", "grade", "rewrite_again", "rewrite"]
    assert all(form["strict"] and next(iter(form["schema"]["properties"])) == "reason" for form in forms)
    judged = list(_objects(forms[1]["schema"])[-1])
    assert judged == ["passage", "sub_question", "reason", "quote", "band", "score"]


async def test_a_consumer_that_leaves_closes_the_stream(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    await acquaint(reasoner, endpoint)
    endpoint.script("answer", Reply(["a", "b", "c"], piece_delay_s=0.3))
    answer = reasoner.answer(samples.cited_answer())
    assert await anext(answer) == "a"
    await answer.aclose()
    await _eventually(lambda: endpoint.abandoned == 1)


async def test_a_cancelled_answer_closes_the_stream(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    await acquaint(reasoner, endpoint)
    endpoint.script("answer", Reply(["a", "b", "c"], piece_delay_s=0.3))
    heard: list[str | Usage] = []

    async def listen() -> None:
        async for piece in reasoner.answer(samples.cited_answer()):
            heard.append(piece)

    task = asyncio.create_task(listen())
    await _eventually(lambda: heard == ["a"])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _eventually(lambda: endpoint.abandoned == 1)


async def test_calls_may_run_side_by_side(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.always("route", lambda body: ROUTE)
    said = await asyncio.gather(*(reasoner.route(samples.route_request()) for _ in range(8)))
    assert len(said) == len(endpoint.calls) == 8


async def test_a_closed_reasoner_is_unavailable(chat_endpoint: ChatEndpoint) -> None:
    reasoner = LLMReasoner(chat_endpoint)
    await reasoner.aclose()
    with pytest.raises(Unavailable):
        await reasoner.route(samples.route_request())


def _objects(schema: Body) -> list[Body]:
    """The properties of every object in a schema, outermost first."""
    found = [schema["properties"]] if "properties" in schema else []
    for value in schema.values():
        for part in value if isinstance(value, list) else [value]:
            found += _objects(part) if isinstance(part, dict) else []
    return found


async def _eventually(holds: Callable[[], bool]) -> None:
    for _ in range(200):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come true within two seconds")
