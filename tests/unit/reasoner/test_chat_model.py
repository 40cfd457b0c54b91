"""What can go wrong between us and an endpoint, over real HTTP; and what must never get out."""

from __future__ import annotations

import dataclasses
import logging
import traceback
from collections.abc import Awaitable, Callable

import pytest
from pydantic import SecretStr

from errors import BadRequest, GapseekError, Unavailable
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import LLMReasoner
from tests.fakes.chat_reply import Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.unit.reasoner import samples
from tests.unit.reasoner.conftest import MARKER, Open, acquaint

Ask = Callable[..., Awaitable[object]]
ECHO = {"message": f"Incorrect API key provided: {MARKER}. Prompt was: Who pays for the broken gate?", "code": "x"}
AT_ONCE = {"retry-after-ms": "1"}


async def decide(reasoner: LLMReasoner, timeout_s: float = 5.0) -> object:
    return await reasoner.route(dataclasses.replace(samples.route_request(timeout_s=timeout_s), max_calls=4))


async def answer(reasoner: LLMReasoner, timeout_s: float = 5.0) -> object:
    return [piece async for piece in reasoner.answer(samples.cited_answer(timeout_s=timeout_s))]


def failing(status: int, **error: str) -> Reply:
    return Reply(status=status, error=ECHO | error, headers=AT_ONCE)


FAILURES: list[tuple[Reply, type[GapseekError], str]] = [
    (failing(400, message=f"{MARKER}: Prompt was: broken gate"), Unavailable, "model_rejected"),
    (failing(400), Unavailable, "model_denied"),
    (failing(400, code="context_length_exceeded"), BadRequest, "model_context"),
    (failing(400, message="This model's maximum context length is 65536 tokens."), BadRequest, "model_context"),
    (failing(400, message="Your request exceeded model token limit: 8192"), BadRequest, "model_context"),
    (failing(400, message="Prompt exceeds max length", code="1261"), BadRequest, "model_context"),
    (failing(400, message="length of prompt_tokens must be less than max_seq_len"), BadRequest, "model_context"),
    (failing(400, message="longer than the maximum model length of 4096"), BadRequest, "model_context"),
    (failing(400, code="data_inspection_failed"), BadRequest, "model_refused"),
    (failing(400, code="content_filter"), BadRequest, "model_refused"),
    (failing(451), BadRequest, "model_refused"),
    (failing(401), Unavailable, "model_denied"),
    (failing(403), Unavailable, "model_denied"),
    (failing(404), Unavailable, "model_unknown"),
    (failing(422, message=f"{MARKER}: Prompt was: broken gate"), Unavailable, "model_rejected"),
    (failing(429), Unavailable, "model_busy"),
    (failing(500), Unavailable, "model_failed"),
    (failing(503), Unavailable, "model_failed"),
    (Reply(status=307, headers={"location": "http://example.org/v1/chat/completions"}), Unavailable, "model_unknown"),
]


@pytest.mark.parametrize("ask", [decide, answer])
@pytest.mark.parametrize(
    ("reply", "error", "code"), FAILURES, ids=lambda value: value if isinstance(value, str) else ""
)
async def test_a_failing_endpoint_is_a_named_error_with_a_safe_sentence(
    reasoner: LLMReasoner,
    endpoint: FakeEndpoint,
    ask: Ask,
    reply: Reply,
    error: type[GapseekError],
    code: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for kind in ("route", "answer"):
        endpoint.always(kind, lambda body: reply)
    with caplog.at_level(logging.INFO), pytest.raises(error) as caught:
        await ask(reasoner)
    assert caught.value.reason == code
    printed = "".join(traceback.format_exception(caught.value)) + caplog.text
    for secret in (MARKER, "broken gate", "Incorrect", "Prompt was"):
        assert secret not in printed
    assert endpoint.url not in caught.value.sentence
    assert caught.value.sentence.endswith(".")


async def test_the_key_is_in_no_log_even_when_everything_is_logged(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.script("answer", "fine", Reply(status=404, error={"message": "no such model"}))
    with caplog.at_level(logging.DEBUG):
        await answer(reasoner)
        with pytest.raises(Unavailable):
            await answer(reasoner)
    assert endpoint.calls[0].headers["authorization"] == f"Bearer {MARKER}"
    assert len(caplog.records) > 5, "the test would see nothing"
    assert MARKER not in caplog.text


async def test_a_password_in_the_address_is_sent_but_not_logged(
    open_reasoner: Open, endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    url = endpoint.url.replace("://", "://gate%40keeper:open-sesame@")
    reasoner = open_reasoner(ChatEndpoint("m", url, SecretStr(MARKER)))
    endpoint.script("answer", "fine", Reply(status=404))
    with caplog.at_level(logging.DEBUG):
        await answer(reasoner)
        with pytest.raises(Unavailable) as caught:
            await answer(reasoner)
    assert endpoint.calls[0].headers["authorization"] == "Basic Z2F0ZUBrZWVwZXI6b3Blbi1zZXNhbWU="
    assert "open-sesame" not in caplog.text + "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("ask", [decide, answer])
async def test_a_passing_failure_is_tried_once_more(reasoner: LLMReasoner, endpoint: FakeEndpoint, ask: Ask) -> None:
    endpoint.script("route", failing(503), {"reason": "", "need_retrieval": False, "standalone": "s"})
    endpoint.script("answer", failing(503), "fine")
    await ask(reasoner)
    assert len(endpoint.calls) == 2


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_lasting_failure_is_not_tried_again(reasoner: LLMReasoner, endpoint: FakeEndpoint, status: int) -> None:
    endpoint.script("route", failing(status))
    with pytest.raises(Unavailable):
        await decide(reasoner)
    assert len(endpoint.calls) == 1


@pytest.mark.parametrize(("own", "asked"), [(0.1, 5.0), (5.0, 0.1), (5.0, 0.0)])
@pytest.mark.parametrize("ask", [decide, answer])
async def test_the_smaller_time_limit_holds(
    open_reasoner: Open, chat_endpoint: ChatEndpoint, endpoint: FakeEndpoint, own: float, asked: float, ask: Ask
) -> None:
    reasoner = open_reasoner(dataclasses.replace(chat_endpoint, timeout_s=own))
    for called in ("route", "answer"):
        endpoint.always(called, lambda body: Reply(["late"], delay_s=0.5))
    with pytest.raises(Unavailable) as caught:
        await ask(reasoner, asked)
    assert caught.value.reason == "model_timeout"
    assert len(endpoint.calls) <= 1


async def test_a_stream_that_trickles_ends_at_the_limit(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    await acquaint(reasoner, endpoint)
    endpoint.script("answer", Reply(["."] * 40, piece_delay_s=0.1))
    heard: list[object] = []

    async def listen() -> None:
        async for piece in reasoner.answer(samples.cited_answer(timeout_s=1.5)):
            heard.append(piece)

    with pytest.raises(Unavailable) as caught:
        await listen()
    assert caught.value.reason == "model_timeout"
    assert 0 < len(heard) < 40


@pytest.mark.parametrize("ask", [decide, answer])
async def test_nobody_listening_is_unreachable(open_reasoner: Open, unused_tcp_port: int, ask: Ask) -> None:
    reasoner = open_reasoner(ChatEndpoint("m", f"http://127.0.0.1:{unused_tcp_port}/v1", retries=0))
    with pytest.raises(Unavailable) as caught:
        await ask(reasoner)
    assert caught.value.reason == "model_unreachable"
    assert "GAPSEEK_CHAT__BASE_URL" in caught.value.sentence
    assert str(unused_tcp_port) not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(["half a sentence"], cut=True), "model_cut_off"),
        (Reply(["half a sentence"], finish_reason="length"), "model_cut_off"),
        (Reply(["half a sentence"], drop=True), "model_unreachable"),
        (Reply(["half a sentence"], error=ECHO), "model_failed"),
        (Reply([" "]), "model_empty"),
        (Reply(["<think>only</think>"]), "model_empty"),
        (Reply(["no"], finish_reason="content_filter"), "model_refused"),
    ],
)
async def test_an_answer_that_is_not_whole_never_passes_for_one(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, reply: Reply, code: str
) -> None:
    endpoint.script("answer", reply)
    with pytest.raises(GapseekError) as caught:
        await answer(reasoner)
    assert caught.value.reason == code
    assert MARKER not in "".join(traceback.format_exception(caught.value))


async def test_the_environment_decides_nothing(
    open_reasoner: Open, endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "LANGSMITH_GATEWAY"):
        monkeypatch.setenv(name, "http://elsewhere.invalid/v1")
    monkeypatch.setenv("OPENAI_API_KEY", MARKER)
    monkeypatch.setenv("LC_OUTPUT_VERSION", "responses/v1")
    endpoint.script("answer", "fine")
    assert await answer(open_reasoner(ChatEndpoint("gpt-5-codex", endpoint.url)))
    assert endpoint.calls[0].path == "/v1/chat/completions"
    assert MARKER not in str(endpoint.calls[0].headers)


def test_a_key_does_not_show_in_a_repr() -> None:
    assert MARKER not in repr(ChatEndpoint("m", None, SecretStr(MARKER)))
