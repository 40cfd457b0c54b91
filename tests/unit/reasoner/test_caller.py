"""Calls over real HTTP: retries, places, rest, and what an endpoint does not know."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Awaitable, Callable

import pytest

from context.reasoning import Usage
from errors import GapseekError, Unavailable
from reasoner import client
from reasoner.chat_endpoint import ChatEndpoint, Price
from reasoner.lines import FAILURES, REST_S, Lines
from reasoner.llm import LLMReasoner
from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.misbehaviour import Feature, Misbehaviour
from tests.unit.reasoner import samples
from tests.unit.reasoner.conftest import MARKER, Open

ROUTE: Body = {"reason": "", "need_retrieval": True, "standalone": "s"}
AT_ONCE = {"retry-after-ms": "1"}


def failing(status: int, **headers: str) -> Reply:
    return Reply(status=status, error={"message": MARKER}, headers=headers or AT_ONCE)


Ask = Callable[[LLMReasoner], Awaitable[object]]


async def route(reasoner: LLMReasoner) -> tuple[Usage, ...]:
    return (await reasoner.route(dataclasses.replace(samples.route_request(), max_calls=4))).usage


async def answer(reasoner: LLMReasoner, max_calls: int = 4) -> tuple[str, list[Usage]]:
    said = [p async for p in reasoner.answer(dataclasses.replace(samples.cited_answer(), max_calls=max_calls))]
    return "".join(p for p in said if isinstance(p, str)), [p for p in said if isinstance(p, Usage)]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
async def test_there_is_one_layer_of_retries(reasoner: LLMReasoner, endpoint: FakeEndpoint, status: int) -> None:
    endpoint.always("route", lambda body: failing(status))
    with pytest.raises(Unavailable):
        await route(reasoner)
    assert len(endpoint.calls) == 3


async def test_what_recovers_is_one_call(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", failing(503), failing(429), ROUTE)
    assert [usage.input_tokens for usage in await route(reasoner)] == [11]


async def test_a_wait_beyond_the_time_left_is_not_begun(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", failing(429, **{"retry-after": "3600"}))
    with pytest.raises(Unavailable) as caught:
        await route(reasoner)
    assert (caught.value.reason, len(endpoint.calls)) == ("model_busy", 1)


@pytest.mark.parametrize(
    ("status", "error", "code", "setting"),
    [
        (401, {"message": "bad key"}, "model_denied", "GAPSEEK_CHAT__API_KEY"),
        (403, {"message": "no"}, "model_denied", "GAPSEEK_CHAT__API_KEY and GAPSEEK_CHAT__MODEL"),
        (404, {"message": "model not found"}, "model_unknown", "GAPSEEK_CHAT__MODEL and GAPSEEK_CHAT__BASE_URL"),
        (402, {"message": "Insufficient Balance"}, "model_no_credit", "no credit"),
        (429, {"message": "quota", "code": "insufficient_quota"}, "model_no_credit", "no credit"),
        (429, {"message": "suspended", "type": "exceeded_current_quota_error"}, "model_no_credit", "no credit"),
        (403, {"message": "Sorry, your account balance is insufficient"}, "model_no_credit", "no credit"),
        (400, {"message": "Access denied, not in good standing.", "code": "Arrearage"}, "model_no_credit", "no credit"),
        (402, {"message": "Insufficient Balance"}, "model_no_credit", "GAPSEEK_CHAT__API_KEY"),
        (400, {"message": "API key not valid. Please pass a valid one."}, "model_denied", "GAPSEEK_CHAT__API_KEY"),
        (400, {"message": "Model Not Exist"}, "model_unknown", "GAPSEEK_CHAT__MODEL"),
        (400, {"message": "模型不存在，请检查模型代码", "code": "1211"}, "model_unknown", "GAPSEEK_CHAT__MODEL"),
    ],
)
async def test_what_cannot_pass_fails_at_once_and_names_the_setting(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, status: int, error: Body, code: str, setting: str
) -> None:
    for kind in ("route", "answer"):
        endpoint.script(kind, Reply(status=status, error=error))
    for ask in (route, answer):
        with pytest.raises(Unavailable) as caught:
            await ask(reasoner)
        assert (caught.value.reason, caught.value.retryable) == (code, False)
        assert setting in caught.value.sentence
    assert len(endpoint.calls) == 2


async def test_a_server_on_this_machine_is_reached_without_the_proxy(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    endpoint.script("route", ROUTE)
    await route(open_reasoner(chat_endpoint))
    assert len(endpoint.calls) == 1


async def test_the_small_models_settings_are_named(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    small = dataclasses.replace(chat_endpoint, model="small", settings_prefix="GAPSEEK_SMALL_CHAT")
    endpoint.script("route", Reply(status=401))
    with pytest.raises(Unavailable, match="GAPSEEK_SMALL_CHAT__API_KEY"):
        await route(open_reasoner(chat_endpoint, small))


async def test_an_endpoint_that_goes_on_failing_rests_and_is_tried_again(
    chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    now = 0.0
    reasoner = LLMReasoner(dataclasses.replace(chat_endpoint, retries=0), lines=Lines(clock=lambda: now))
    endpoint.always("route", lambda body: failing(503))
    for _ in range(FAILURES):
        assert reasoner.down is None
        with pytest.raises(Unavailable):
            await route(reasoner)
    assert reasoner.down
    with pytest.raises(Unavailable) as caught:
        await route(reasoner)
    assert (caught.value.reason, len(endpoint.calls)) == ("model_resting", FAILURES)
    now = REST_S
    assert reasoner.down is None
    tried = await asyncio.gather(*(route(reasoner) for _ in range(4)), return_exceptions=True)
    assert {error.reason for error in tried if isinstance(error, GapseekError)} == {"model_failed", "model_resting"}
    assert len(endpoint.calls) == FAILURES + 1, "one call tries whether it is back"
    now = 2 * REST_S
    endpoint.always("route", lambda body: ROUTE)
    assert await route(reasoner)
    assert await route(reasoner)
    await reasoner.aclose()


async def test_refusals_do_not_tire_an_endpoint(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.always("route", lambda body: failing(401))
    for _ in range(FAILURES + 1):
        with pytest.raises(Unavailable):
            await route(reasoner)
    assert reasoner.down is None


async def test_no_more_calls_at_a_time_than_it_has_places(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    """Two models behind one address share them."""
    large = dataclasses.replace(chat_endpoint, concurrency=2)
    reasoner = open_reasoner(large, dataclasses.replace(large, model="small"))
    endpoint.always(
        "route", lambda body: Reply(['{"reason": "", "need_retrieval": true, "standalone": ""}'], delay_s=0.1)
    )
    endpoint.always("answer", lambda body: Reply(["fine"], delay_s=0.1))
    await asyncio.gather(*(ask(reasoner) for ask in (route, answer) * 4))
    assert endpoint.most_at_once == 2
    assert len(endpoint.calls) == 8


async def test_waiting_for_a_place_does_not_tire_an_endpoint_and_hanging_in_one_does(
    chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    lines, one_place = Lines(), dataclasses.replace(chat_endpoint, concurrency=1, timeout_s=0.05, retries=0)
    reasoner = LLMReasoner(one_place, lines=lines)
    brief = dataclasses.replace(samples.route_request(), timeout_s=0.2)
    async with lines.line(one_place).place():
        waited = await asyncio.gather(*(reasoner.route(brief) for _ in range(FAILURES)), return_exceptions=True)
    assert {type(error) for error in waited} == {Unavailable}
    assert (len(endpoint.calls), reasoner.down) == (0, None)
    endpoint.always("route", lambda body: Reply(["{}"], delay_s=0.3))
    for _ in range(FAILURES):
        with pytest.raises(Unavailable):
            await route(reasoner)
    assert reasoner.down
    await reasoner.aclose()


@pytest.mark.parametrize("message", ["{feature} is not supported", "bad request"])
async def test_a_stream_without_stream_options(reasoner: LLMReasoner, endpoint: FakeEndpoint, message: str) -> None:
    """Case A17."""
    endpoint.misbehaviour = Misbehaviour(refuses=["stream_options"], message=message)
    endpoint.always("answer", lambda body: "The owner pays [1].")
    said, usage = await answer(reasoner)
    assert said == "The owner pays [1]."
    assert [one.estimated for one in usage] == [True, True]
    assert usage[-1].input_tokens > 100
    assert len((await answer(reasoner))[1]) == 1, "it was remembered"


async def test_a_single_call_is_not_spent_on_finding_out(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    endpoint.misbehaviour = Misbehaviour(refuses=["stream_options"])
    endpoint.always("answer", lambda body: "fine")
    assert (await answer(reasoner, max_calls=1))[0] == "fine"
    assert len(endpoint.calls) == 1


@pytest.mark.parametrize(
    ("refused", "then"), [("max_tokens", {"max_completion_tokens": 2_000}), ("temperature", {"max_tokens": 2_000})]
)
async def test_a_part_that_is_unknown_is_left_out_or_renamed(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, refused: Feature, then: Body
) -> None:
    """Case A18 and newer models of OpenAI."""
    endpoint.misbehaviour = Misbehaviour(refuses=[refused], message="Unsupported parameter: '{feature}'.")
    endpoint.always("route", lambda body: ROUTE)
    assert len(await route(reasoner)) == 2
    assert len(await route(reasoner)) == 1
    assert then.items() <= endpoint.calls[-1].body.items()
    assert refused not in endpoint.calls[-1].body


async def test_a_model_that_may_not_think_is_told_so(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    """As DashScope answers for Qwen3 wherever a reply is not streamed."""
    refusal = Reply(status=400, error={"message": "parameter.enable_thinking must be set to false for this call"})
    endpoint.always("route", lambda body: ROUTE if body.get("enable_thinking") is False else refusal)
    assert len(await route(reasoner)) == 2
    assert len(await route(reasoner)) == 1


async def test_the_limits_name_can_be_set(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    endpoint.always("route", lambda body: ROUTE)
    reasoner = open_reasoner(
        dataclasses.replace(
            chat_endpoint,
            token_limit_name="max_completion_tokens",
            max_tokens=99,
            temperature=None,
            extra_body={"enable_thinking": False},
        )
    )
    await route(reasoner)
    body = endpoint.calls[0].body
    assert (body["max_completion_tokens"], body["enable_thinking"]) == (99, False)
    assert not {"max_tokens", "temperature"} & body.keys()


async def test_a_prompt_that_was_cut_is_told_once(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.always("route", lambda body: Reply(['{"reason": "", "need_retrieval": true, "standalone": ""}'], (512, 3)))
    request = dataclasses.replace(samples.route_request(), question="电梯维修费由谁承担？" * 600)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            await reasoner.route(request)
    told = [record.getMessage() for record in caplog.records if "cut prompts" in record.getMessage()]
    assert len(told) == 1
    assert "GAPSEEK_CHAT__CONTEXT_TOKENS" in told[0]
    assert "电梯" not in caplog.text


async def test_an_answer_from_an_endpoint_that_knows_no_limit_ends(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint
) -> None:
    endpoint.script("answer", Reply(["no end "] * 200))
    reasoner = open_reasoner(dataclasses.replace(chat_endpoint, max_tokens=20))
    with pytest.raises(Unavailable) as caught:
        await answer(reasoner)
    assert caught.value.reason == "model_cut_off"


async def test_a_reply_without_an_end_is_not_read_to_it(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "LARGEST_REPLY", 50_000)
    endpoint.always("route", lambda body: Reply([" " * 200_000]))
    with pytest.raises(Unavailable) as caught:
        await route(open_reasoner(chat_endpoint))
    assert (caught.value.reason, len(endpoint.calls)) == ("model_endless", 1)


async def test_what_calls_cost(open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint) -> None:
    endpoint.script("route", Reply(['{"reason": "", "need_retrieval": true, "standalone": ""}'], usage=(1_000, 100)))
    (usage,) = await route(open_reasoner(dataclasses.replace(chat_endpoint, price=Price(2.0, 8.0))))
    assert usage.cost == pytest.approx(0.0028)


@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.parametrize("ask", [route, answer])
async def test_what_fails_says_which_calls_it_had_made(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint, ask: Ask, hangs: bool
) -> None:
    """The first is turned down, for a part that it does not know; the second fails, or gets no answer."""
    reasoner = open_reasoner(dataclasses.replace(chat_endpoint, timeout_s=0.2, retries=0))
    endpoint.misbehaviour = Misbehaviour(refuses=["temperature"], message="Unsupported parameter: '{feature}'.")
    for kind in ("route", "answer"):
        endpoint.always(kind, lambda body: Reply(["{}"], delay_s=1.0) if hangs else failing(503))
    with pytest.raises(Unavailable) as caught:
        await ask(reasoner)
    assert len(endpoint.calls) == 2
    assert len(caught.value.made) == 2
    assert (caught.value.made[-1].input_tokens > 0) is hangs
