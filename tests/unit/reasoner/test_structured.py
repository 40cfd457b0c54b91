"""The ladder over real HTTP: which rung is taken, what it costs, and what stands when nothing can be used."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection

import pytest

from context.reasoning import ProposedQuery, Rewrite, Route
from errors import BadRequest, Unavailable
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import UNREADABLE, LLMReasoner
from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.misbehaviour import Feature, Misbehaviour, Thinking
from tests.unit.reasoner import samples
from tests.unit.reasoner.conftest import Open

ROUTE: Body = {"reason": "a rule", "need_retrieval": False, "standalone": "Who pays?"}
DECIDED = Route(False, "a rule", "Who pays?")
SAFE = Route(True, UNREADABLE, samples.route_request().question)


def rungs(endpoint: FakeEndpoint) -> list[str]:
    """How each call asked for its form."""
    return [
        "tools" if call.body.get("tools") else (call.body.get("response_format") or {"type": "plain"})["type"]
        for call in endpoint.calls
    ]


async def route(reasoner: LLMReasoner, max_calls: int = 4) -> tuple[Route, list[int]]:
    """The route, and the tokens sent in each call that it cost."""
    said = await reasoner.route(dataclasses.replace(samples.route_request(), max_calls=max_calls))
    return said.value, [usage.input_tokens for usage in said.usage]


@pytest.mark.parametrize("status", [400, 404, 422, 500])
@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        ([], ["json_schema"]),
        (["json_schema"], ["json_schema", "tools"]),
        (["json_schema", "tools"], ["json_schema", "tools", "json_object"]),
        (["json_schema", "tools", "json_object"], ["json_schema", "tools", "json_object", "plain"]),
    ],
)
async def test_the_first_question_is_answered_and_the_rung_remembered(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, refused: Collection[Feature], taken: list[str], status: int
) -> None:
    """Case A10."""
    endpoint.misbehaviour = Misbehaviour(refuses=refused, status=status)
    endpoint.always("route", lambda body: ROUTE)
    assert await route(reasoner) == (DECIDED, [0] * len(refused) + [11])
    assert rungs(endpoint) == taken
    assert await route(reasoner) == (DECIDED, [11])
    assert rungs(endpoint) == [*taken, taken[-1]]


async def test_what_was_learnt_is_kept_when_the_calls_run_out(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.misbehaviour = Misbehaviour(refuses=["json_schema", "tools"])
    endpoint.always("route", lambda body: ROUTE)
    assert await route(reasoner, 2) == (SAFE, [0, 0])
    assert await route(reasoner, 1) == (DECIDED, [11])


async def test_an_endpoint_that_refuses_everything_is_asked_four_times_and_says_so(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    endpoint.always("route", lambda body: Reply(status=400, error={"message": "no"}))
    for _ in range(2):
        with pytest.raises(Unavailable) as caught:
            await route(reasoner)
        assert caught.value.reason == "model_rejected"
    assert rungs(endpoint) == ["json_schema", "tools", "json_object", "plain"] * 2


async def test_json_mode_always_says_json(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    """Case A11: whatever a prompt says."""
    endpoint.misbehaviour = Misbehaviour(refuses=["json_schema", "tools"], needs_the_word_json=True)
    endpoint.always("route", lambda body: ROUTE)
    request = dataclasses.replace(samples.route_request("zh"), max_calls=4)
    assert (await reasoner.route(request)).value == DECIDED
    assert "json 对象" in endpoint.calls[-1].body["messages"][-1]["content"]


WRITTEN: dict[str, Callable[[str], str]] = {
    "fences": lambda text: f"```json\n{text}\n```",
    "prose": lambda text: f"Of course {{as you wish}}!\n{text}\nAnything else?",
    "single quotes": lambda text: str(json.loads(text)),
    "full width": lambda text: text.replace(":", "：").replace(",", "，").replace("{", "｛").replace("}", "｝"),
    "trailing comma": lambda text: text[:-1] + ",}",
    "text in JSON": json.dumps,
}


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("refused", [[], ["json_schema"], ["json_schema", "tools", "json_object"]])
async def test_json_is_read_as_it_is_written(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, form: str, refused: list[Feature]
) -> None:
    endpoint.misbehaviour = Misbehaviour(refuses=refused, writes_json=WRITTEN[form])
    endpoint.always("route", lambda body: ROUTE)
    assert (await route(reasoner))[0] == DECIDED
    assert len(endpoint.calls) == len(refused) + 1


@pytest.mark.parametrize("thinks", ["tags", "empty", "closing", "field", "instead"])
@pytest.mark.parametrize("refused", [[], ["json_schema", "tools"], ["json_schema", "tools", "json_object"]])
async def test_thought_decides_nothing(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, thinks: Thinking, refused: list[Feature]
) -> None:
    """Cases A12 and A13: the thought holds another decision, in braces."""
    endpoint.misbehaviour = Misbehaviour(refuses=refused, thinks=thinks)
    endpoint.always("route", lambda body: ROUTE)
    assert (await route(reasoner))[0] == DECIDED


async def test_a_function_call_that_is_ignored_is_read_from_the_text(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    endpoint.misbehaviour = Misbehaviour(refuses=["json_schema"], ignores_tools=True)
    endpoint.always("route", lambda body: ROUTE)
    assert (await route(reasoner))[0] == DECIDED


WRONG = ["null", "{}", "yes.", "是", "", "[]", '{"reason": "r"}', '{"reason": "r", "need_retrieval": tru', "[" * 5_000]


@pytest.mark.parametrize("reply", WRONG)
async def test_a_wrong_reply_is_asked_for_once_more(reasoner: LLMReasoner, endpoint: FakeEndpoint, reply: str) -> None:
    endpoint.script("route", Reply([reply]), ROUTE)
    assert await route(reasoner) == (DECIDED, [11, 11])
    told = endpoint.calls[1].body["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert "cannot be used" in told[-1]["content"]


async def test_the_second_request_says_what_is_wrong(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", Reply(['{"reason": "r", "need_retrieval": "perhaps", "standalone": "s"}']), ROUTE)
    await route(reasoner)
    assert "need_retrieval: Input should be a valid boolean" in endpoint.calls[1].prompt


@pytest.mark.parametrize("reply", WRONG)
async def test_a_reply_that_stays_wrong_falls_back_to_what_is_safe(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, reply: str, caplog: pytest.LogCaptureFixture
) -> None:
    for kind in ("route", "rewrite", "grade"):
        endpoint.always(kind, lambda body: Reply([reply]))
    assert await route(reasoner) == (SAFE, [11, 11])
    first = samples.first_rewrite()
    rewritten = await reasoner.rewrite(dataclasses.replace(first, max_calls=4))
    assert rewritten.value == Rewrite(((first.question, True),), (ProposedQuery(first.question, 1),))
    later = samples.later_rewrite()
    again = (await reasoner.rewrite(dataclasses.replace(later, max_calls=4))).value
    assert [query.text for query in again.queries] == [gap["text"] for gap in later.gaps]
    graded = await reasoner.grade(dataclasses.replace(samples.grade_request(), max_calls=4))
    assert (graded.value, len(graded.usage)) == ((), 2)
    assert "the 4. time" in caplog.text


async def test_a_cut_grade_is_no_yes(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    """Whole as it looks: what was cut off might have taken it back."""
    grade = {"passage": 1, "sub_question": 1, "reason": "", "quote": "", "band": "direct", "score": 1.0}
    whole = json.dumps({"reason": "", "grades": [grade]})
    endpoint.always("grade", lambda body: Reply([whole], finish_reason="length"))
    graded = await reasoner.grade(dataclasses.replace(samples.grade_request(), max_calls=4))
    assert graded.value == ()
    assert [call.body["max_tokens"] for call in endpoint.calls] == [2_000, 8_000]


async def test_a_set_limit_stays(open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint) -> None:
    reasoner = open_reasoner(dataclasses.replace(chat_endpoint, max_tokens=300))
    endpoint.script("route", Reply(['{"reason": "'], finish_reason="length"))
    assert (await route(reasoner))[0] == SAFE
    assert [call.body["max_tokens"] for call in endpoint.calls] == [300]


async def test_silence_needs_another_rung(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    """Some servers take `tools` and do nothing with them: asked that way for good, they would answer no question."""
    endpoint.script("route", Reply([""]), Reply([""]), Reply([""]), Reply([""]), ROUTE)
    assert [(await route(reasoner))[0] for _ in range(3)] == [SAFE, SAFE, DECIDED]
    assert rungs(endpoint) == ["json_schema", "json_schema", "tools", "tools", "json_object"]


async def test_endless_white_space_needs_another_rung(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", Reply(["{" + " " * 3_000], finish_reason="length"), ROUTE)
    assert (await route(reasoner))[0] == DECIDED
    assert rungs(endpoint) == ["json_schema", "tools"]


@pytest.mark.parametrize("reply", [Reply(["{}"], finish_reason="content_filter")])
async def test_a_refusal_is_no_wrong_value(reasoner: LLMReasoner, endpoint: FakeEndpoint, reply: Reply) -> None:
    endpoint.script("route", reply)
    request = dataclasses.replace(samples.route_request(), history=(), max_calls=4)
    with pytest.raises(BadRequest) as caught:
        await reasoner.route(request)
    assert caught.value.reason == "model_refused"
