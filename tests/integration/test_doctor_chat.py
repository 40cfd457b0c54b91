"""Every way in which the fake chat endpoint misbehaves, and what the examination says of it, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest

from reasoner.doctor.forms import NAMES
from settings import Endpoint
from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.examined import KEY, chat_at, examined, found_in, healthy, said, settings_for
from tests.fakes.misbehaviour import Feature, Misbehaviour, Thinking

Findings = dict[str, tuple[str, str | None]]
MODEL, LIMIT, BODY, KEY_ = (f"GAPSEEK_CHAT__{name}" for name in ("MODEL", "MAX_TOKENS", "EXTRA_BODY", "API_KEY"))
URL, TIME, CONTEXT = (f"GAPSEEK_CHAT__{name}" for name in ("BASE_URL", "TIMEOUT_S", "CONTEXT_TOKENS"))
NOTHING_SET = ("warn", None)


@dataclass(frozen=True)
class Case:
    """What is wrong; what is found besides what is well and what is skipped; the rung that will be used."""

    found: Findings
    bent: Misbehaviour = field(default_factory=Misbehaviour)
    answers: Callable[[Body], Any] = said
    rung: str | None = "json_schema"
    set: dict[str, Any] = field(default_factory=dict)


def always(reply: Reply) -> Callable[[Body], Reply]:
    return lambda body: reply


def streamed(**changed: Any) -> Callable[[Body], Reply]:
    """Only streams are bent."""
    return lambda body: replace(said(body), **changed) if body.get("stream") else said(body)


def long_winded(body: Body) -> Reply:
    reply = said(body)
    if reply.finish_reason != "length":
        return reply
    return Reply([", ".join(map(str, range(1, 200)))], usage=(30, 400))


def mute_about_cuts(body: Body) -> Reply:
    return replace(said(body), finish_reason="stop")


def forgetful(body: Body) -> Reply:
    asked = str(body["messages"][-1]["content"])
    return Reply(["What word?"], usage=(5_000, 4)) if "code word" in asked else said(body)


CASES: dict[str, Case] = {
    "nothing": Case({}),
    "refuses json_schema": Case(
        {"json_schema": NOTHING_SET}, Misbehaviour(refuses=["json_schema"]), rung="function_call"
    ),
    "refuses json_schema, 500 that names it": Case(
        {"json_schema": NOTHING_SET}, Misbehaviour(refuses=["json_schema"], status=500), rung="function_call"
    ),
    "refuses json_schema and tools": Case(
        {"json_schema": NOTHING_SET, "function_call": NOTHING_SET},
        Misbehaviour(refuses=["json_schema", "tools"]),
        rung="json_mode",
    ),
    "refuses all forms": Case(
        dict.fromkeys(("json_schema", "function_call", "json_mode"), NOTHING_SET),
        Misbehaviour(refuses=["json_schema", "tools", "json_object"]),
        rung="plain_text",
    ),
    "fails at tools without a word": Case(
        {"function_call": NOTHING_SET}, Misbehaviour(refuses=["tools"], status=500, message="oh")
    ),
    "fails at json_schema without a word": Case(
        {"json_schema": NOTHING_SET, "ladder": ("fail", None)},
        Misbehaviour(refuses=["json_schema"], status=503, message="oh"),
        rung=None,
    ),
    "refuses stream_options": Case({"stream_usage": NOTHING_SET}, Misbehaviour(refuses=["stream_options"])),
    "refuses max_tokens": Case(
        {"token_limit": ("warn", "GAPSEEK_CHAT__TOKEN_LIMIT_NAME")}, Misbehaviour(refuses=["max_tokens"])
    ),
    "refuses max_completion_tokens": Case(
        {"token_limit": ("warn", "GAPSEEK_CHAT__TOKEN_LIMIT_NAME")},
        Misbehaviour(refuses=["max_completion_tokens"]),
        set={"token_limit_name": "max_completion_tokens"},
    ),
    "refuses temperature": Case(
        {"temperature": ("warn", "GAPSEEK_CHAT__TEMPERATURE")}, Misbehaviour(refuses=["temperature"])
    ),
    "needs the word json": Case(
        {"json_schema": NOTHING_SET, "function_call": NOTHING_SET},
        Misbehaviour(refuses=["json_schema", "tools"], needs_the_word_json=True),
        rung="json_mode",
    ),
    "moderates": Case(
        {**dict.fromkeys(NAMES.values(), NOTHING_SET), "ladder": ("fail", None)},
        Misbehaviour(moderates="paid leave"),
        rung=None,
    ),
    "moderates as DeepSeek": Case(
        {"window": NOTHING_SET}, Misbehaviour(moderates="heron", moderation={"message": "Content Exists Risk"})
    ),
    "has a small window": Case({"window": ("warn", CONTEXT)}, Misbehaviour(window=9_000)),
    "counts fewer tokens than it was sent": Case({"window": ("warn", CONTEXT)}, Misbehaviour(counts_at_most=2_048)),
    "forgets the head of a prompt": Case({"window": ("warn", CONTEXT)}, answers=forgetful),
    "thinks in tags": Case(
        {**dict.fromkeys(("json_schema", "json_mode"), NOTHING_SET), "thinking": ("warn", BODY)},
        Misbehaviour(thinks="tags"),
    ),
    "thinks nothing in tags": Case(
        dict.fromkeys(("json_schema", "json_mode"), NOTHING_SET), Misbehaviour(thinks="empty")
    ),
    "thinks with a closing tag alone": Case(
        {**dict.fromkeys(("json_schema", "json_mode"), NOTHING_SET), "thinking": ("warn", BODY)},
        Misbehaviour(thinks="closing"),
    ),
    "thinks in a field": Case({"thinking": ("warn", BODY)}, Misbehaviour(thinks="field")),
    "answers in the place of thought": Case(
        {**dict.fromkeys(("json_schema", "function_call", "json_mode"), NOTHING_SET), "thinking": ("warn", BODY)},
        Misbehaviour(thinks="instead"),
    ),
    "thinks in spite of what is set": Case(
        {"thinking": ("warn", BODY)}, Misbehaviour(thinks="field"), set={"extra_body": {"enable_thinking": False}}
    ),
    "writes fences": Case(
        dict.fromkeys(("json_schema", "json_mode"), NOTHING_SET),
        Misbehaviour(writes_json=lambda text: f"Sure:\n```json\n{text}\n```"),
    ),
    "writes no form": Case(
        {**dict.fromkeys(NAMES.values(), ("warn", MODEL)), "ladder": ("fail", MODEL)},
        Misbehaviour(writes_json=lambda text: "yes."),
    ),
    "grades wrongly": Case(
        {"ladder": ("warn", MODEL)}, Misbehaviour(writes_json=lambda text: text.replace("direct", "irrelevant"))
    ),
    "ignores tools": Case({"function_call": NOTHING_SET}, Misbehaviour(ignores_tools=True)),
    "reports no usage": Case(
        {"usage": NOTHING_SET, "stream_usage": NOTHING_SET}, answers=lambda body: replace(said(body), usage=None)
    ),
    "reports no usage in streams": Case({"stream_usage": NOTHING_SET}, answers=streamed(usage=None)),
    "streams in one piece": Case({"stream": ("warn", URL)}, answers=streamed(pieces=["1, 2, 3"])),
    "cuts streams": Case({"stream": ("fail", URL)}, answers=streamed(cut=True)),
    "drops streams": Case({"stream": ("fail", URL)}, answers=streamed(drop=True)),
    "fails in streams": Case({"stream": ("fail", None)}, answers=streamed(error={"message": "oh"})),
    "ends streams at the limit": Case({"stream": ("fail", LIMIT)}, answers=streamed(finish_reason="length")),
    "thinks instead of answering": Case(
        {"reply": ("fail", LIMIT)}, answers=always(Reply([""], finish_reason="length")), rung=None
    ),
    "answers nothing": Case(
        {"reply": ("warn", MODEL)}, answers=lambda body: Reply([""]) if "ready" in str(body["messages"]) else said(body)
    ),
    "knows no limit": Case({"token_limit": ("warn", "GAPSEEK_CHAT__TOKEN_LIMIT_NAME")}, answers=long_winded),
    "does not tell of cuts": Case({"token_limit": ("warn", LIMIT)}, answers=mute_about_cuts),
    "401": Case({"auth": ("fail", KEY_)}, answers=always(Reply(status=401)), rung=None),
    "403": Case({"auth": ("fail", KEY_)}, answers=always(Reply(status=403)), rung=None),
    "402": Case({"auth": ("fail", KEY_)}, answers=always(Reply(status=402)), rung=None),
    "404": Case({"model": ("fail", MODEL)}, answers=always(Reply(status=404)), set={"model": "an"}, rung=None),
    "404 of a model that is listed": Case({"model": ("fail", MODEL)}, answers=always(Reply(status=404)), rung=None),
    "400": Case({"reply": ("fail", BODY)}, answers=always(Reply(status=400)), rung=None),
    "400 for the model": Case(
        {"model": ("fail", MODEL)}, answers=always(Reply(status=400)), set={"model": "an"}, rung=None
    ),
    "429": Case({"reply": ("fail", "GAPSEEK_CHAT__CONCURRENCY")}, answers=always(Reply(status=429)), rung=None),
    "500": Case({"reply": ("fail", None)}, answers=always(Reply(status=500)), rung=None),
    "redirects": Case({"reach": ("fail", URL)}, answers=always(Reply(status=307)), rung=None),
    "is late": Case(
        {"reply": ("fail", TIME)}, answers=always(Reply(["ready"], delay_s=5)), set={"timeout_s": 0.2}, rung=None
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_what_is_wrong_is_named_with_its_setting(endpoint: FakeEndpoint, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    healthy(endpoint)
    endpoint.always("answer", case.answers)
    endpoint.misbehaviour = case.bent
    report = await examined(settings_for(tmp_path, chat=chat_at(endpoint, **case.set)), "chat")
    found = {step: what for step, what in found_in(report).items() if what[0] != "skipped"}
    assert found == case.found
    assert report.answers == all(status != "fail" for status, _ in case.found.values())
    assert report.uses["chat"]["rung"] == case.rung
    assert len(report.spent) == len(endpoint.calls), "every call is told"


def test_every_behaviour_of_the_fake_has_a_case() -> None:
    default = Misbehaviour()
    bent = {
        f.name
        for case in CASES.values()
        for f in fields(Misbehaviour)
        if getattr(case.bent, f.name) != getattr(default, f.name)
    }
    assert bent == {f.name for f in fields(Misbehaviour)}
    assert {feature for case in CASES.values() for feature in case.bent.refuses} == set(get_args(Feature))
    assert {case.bent.thinks for case in CASES.values()} == {None, *get_args(Thinking)}


async def test_a_misspelt_model_is_told_what_is_near(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    endpoint.always("answer", always(Reply(status=404)))
    endpoint.models = ["qwen2.5:7b", "llama3.1:8b", "qwen2.5:7b'; <script>"]
    report = await examined(settings_for(tmp_path, chat=chat_at(endpoint, model="qwen2.5-7b")), "chat")
    (found,) = report.of("fail")
    assert (found.step, found.finding.setting, found.finding.value) == ("model", MODEL, "qwen2.5:7b")


async def test_404_without_a_list_of_models_blames_the_address_too(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    wrong = endpoint.url.removesuffix("/v1")
    report = await examined(settings_for(tmp_path, chat=chat_at(endpoint, base_url=wrong)), "chat")
    assert [(one.step, one.finding.setting) for one in report.of("fail")] == [("model", URL)]


async def test_the_small_model_is_examined_for_what_it_does(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    """Without a form the small one is of no use; the large one only answers."""
    healthy(endpoint)
    endpoint.misbehaviour = Misbehaviour(writes_json=lambda text: "yes.")
    chat = settings_for(tmp_path, chat=chat_at(endpoint), small_chat=Endpoint(model="small"))
    report = await examined(chat, "chat", "small_chat")
    ladders = {one.target: one.finding for one in report.found if one.step == "ladder"}
    assert ladders["chat"].status == "warn"
    assert (ladders["small_chat"].status, ladders["small_chat"].setting) == ("fail", "GAPSEEK_SMALL_CHAT__MODEL")
    assert "stream" not in {one.step for one in report.found if one.target == "small_chat"}
    assert {usage.model for usage in report.spent} == {"any", "small"}


async def test_a_form_that_comes_the_second_time_is_slow_and_good(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    healthy(endpoint)
    endpoint.misbehaviour = Misbehaviour(refuses=["tools", "json_object"])
    endpoint.script("grade", "no", Reply(["no"]), Reply(["no"]))
    report = await examined(settings_for(tmp_path, chat=chat_at(endpoint)), "chat")
    ladder = next(one.finding for one in report.found if one.step == "ladder")
    assert (ladder.status, ladder.setting, report.answers) == ("warn", MODEL, True)


@pytest.mark.parametrize(("whole", "least", "most"), [(False, 7_000, 9_000), (True, 11_000, 16_000)])
async def test_the_window_costs_what_is_said(
    endpoint: FakeEndpoint, tmp_path: Path, whole: bool, least: int, most: int
) -> None:
    healthy(endpoint)
    chat = chat_at(endpoint, context_tokens=16_000)
    report = await examined(settings_for(tmp_path, chat=chat), "chat", whole_window=whole)
    window = next(one.finding for one in report.found if one.step == "window")
    assert ("Longer ones" in window.sentence) != whole
    sent = max(len(call.prompt) for call in endpoint.calls) * 0.3
    assert least < sent < most


async def test_a_key_in_the_place_of_the_model_is_not_shown(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    healthy(endpoint)
    report = await examined(settings_for(tmp_path, chat=chat_at(endpoint, model=KEY)), "chat")
    assert KEY not in json.dumps(report.as_json())


async def test_what_is_not_tried_in_time_is_skipped(endpoint: FakeEndpoint, tmp_path: Path) -> None:
    endpoint.always("answer", always(Reply(["ready"], delay_s=5)))
    report = await examined(settings_for(tmp_path, chat=chat_at(endpoint)), "chat", "embeddings", timeout_s=0.3)
    late = [(one.step, one.finding.status) for one in report.found if one.finding.setting == "--timeout"]
    assert late == [("reach", "fail"), ("configured", "skipped")]
    assert not report.answers
