import json
from typing import Any

import pytest
from httpx_sse import aconnect_sse

from api.schemas.replies import Reply
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import scripted, serving

ASK = {"question": "How many days of paid leave?"}


async def test_a_question_gets_the_whole_reply() -> None:
    async with serving() as client:
        answer = await client.post("/ask", json=ASK)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    Reply.model_validate_json(answer.content)
    assert (answer.json()["status"], answer.json()["stop_reason"]) == ("answered", "sufficient")
    assert answer.json()["citations"][0]["doc_id"] == "leave"


@pytest.mark.parametrize(("body", "headers"), [({"stream": True}, {}), ({}, {"accept": "text/event-stream"})])
async def test_either_way_of_asking_for_a_stream_gives_one(body: dict[str, Any], headers: dict[str, str]) -> None:
    async with serving() as client, aconnect_sse(client, "POST", "/ask", json=ASK | body, headers=headers) as source:
        events = [event async for event in source.aiter_sse()]
    assert source.response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert source.response.headers["cache-control"] == "no-cache"
    assert source.response.headers["x-accel-buffering"] == "no"
    assert [int(event.id) for event in events] == list(range(1, len(events) + 1))
    assert [event.event for event in events if event.event != "node"] == ["run", "token", "answer", "done"]
    answer, done = json.loads(events[-2].data), json.loads(events[-1].data)
    Reply.model_validate(answer)
    assert "".join(json.loads(e.data)["text"] for e in events if e.event == "token") == answer["answer"]
    assert done == {name: answer[name] for name in ("thread_id", "run_id", "status", "stop_reason")}


async def test_a_thread_goes_on() -> None:
    reasoner = scripted()
    async with serving(reasoner) as client:
        first = (await client.post("/ask", json=ASK)).json()
        again = await client.post("/ask", json={"question": "The notice period?", "thread_id": first["thread_id"]})
    assert again.json()["thread_id"] == first["thread_id"]
    assert [turn["question"] for turn in reasoner.route_requests[-1].history] == [ASK["question"]]


BAD: dict[str, tuple[Any, int, str]] = {
    "empty": ({"question": ""}, 422, "The question is empty."),
    "a mark": ({"question": "？"}, 422, "The question has no word and no number"),
    "blank": ({"question": " \n\u200b"}, 422, "The question is empty."),
    "100 kB": ({"question": "x" * 100_000}, 413, "100,000 characters"),
    "number": ({"question": 7}, 422, "'question'"),
    "null": ({"question": None}, 422, "'question'"),
    "missing": ({}, 422, "'question' is missing."),
    "list": ([1], 422, "."),
    "text": ("question", 422, "."),
    "unknown field": (ASK | {"temperature": 1}, 422, "'temperature' is not a field"),
    "unknown thread": (ASK | {"thread_id": "0" * 32}, 404, "no such thread"),
    "thread of no shape": (ASK | {"thread_id": "\ud800\x00"}, 404, "no such thread"),
    "unknown mode": (
        ASK | {"mode": "magic"},
        422,
        "these are: bm25, naive, bm25_rerank, hybrid, hybrid_rerank, self_query, loop, agent.",
    ),
    "draft of no shape": (ASK | {"draft": 1}, 422, "'draft'"),
    "handoff of no shape": (ASK | {"handoff": "yes"}, 422, "'handoff'"),
    "stream of no shape": (ASK | {"stream": "yes"}, 422, "'stream'"),
    "unknown operator": (ASK | {"filters": {"$nope": 1}}, 422, "operator"),
    "filter of no shape": (ASK | {"filters": ["year"]}, 422, "'filters'"),
    "deep filter": (ASK | {"filters": {"a": json.loads("[" * 40 + "]" * 40)}}, 422, "nested"),
    "huge number": (ASK | {"filters": {"a": 10**30}}, 422, "64 bits"),
    "raised budget": (ASK | {"budget": {"max_retries": 4}}, 422, "may be lowered but not raised"),
    "budget past all numbers": (ASK | {"budget": {"max_tokens": 10**400}}, 422, "may be lowered but not raised"),
    "unknown budget": (ASK | {"budget": {"threshold": 0.5}}, 422, "'budget.threshold' is not a field"),
    "negative budget": (ASK | {"budget": {"max_tokens": -1}}, 422, "'budget.max_tokens'"),
    "budget of no shape": (ASK | {"budget": {"max_retries": "3"}}, 422, "'budget.max_retries'"),
    "deadline of no shape": (ASK | {"budget": {"deadline_s": "3"}}, 422, "'budget.deadline_s'"),
}


@pytest.mark.parametrize(("body", "status", "sentence"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_bad_input_is_a_sentence_and_starts_nothing(body: Any, status: int, sentence: str, accept: str) -> None:
    reasoner = ScriptedReasoner()
    async with serving(reasoner) as client:
        content = json.dumps(body)
        headers = {"accept": accept, "content-type": "application/json"}
        answer = await client.post("/ask", content=content, headers=headers)
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert (answer.status_code, said["status"]) == (status, status)
    assert sentence in said["detail"]
    assert said["retryable"] is False
    assert said["detail"].endswith(".")
    assert said["code"]
    assert "Traceback" not in answer.text
    assert reasoner.calls == []


@pytest.mark.parametrize(
    ("content", "content_type", "sentence"),
    [
        (b"{", "application/json", "no valid JSON"),
        (b"", "application/json", "A JSON body is needed."),
        (b"\xff\xfe{}", "application/json", "."),
        (b"[" * 100_000, "application/json", "."),
        (b"question=x", "application/x-www-form-urlencoded", "."),
        (b'{"question": "x"}', "text/plain", "."),
        (b'{"question": "x", "budget": {"deadline_s": NaN}}', "application/json", "'budget.deadline_s'"),
        (b'{"question": "x", "filters": {"a": NaN}}', "application/json", "finite"),
        (b'{"question": "x", "\xed\xa0\x80": 1}', "application/json", "."),
        (b'{"question": "x", "\\ud800": 1}', "application/json", "."),
    ],
)
async def test_a_body_that_cannot_be_read_is_a_problem(content: bytes, content_type: str, sentence: str) -> None:
    async with serving(ScriptedReasoner()) as client:
        answer = await client.post("/ask", content=content, headers={"content-type": content_type})
    assert answer.status_code in (400, 422)
    assert sentence in answer.json()["detail"]


async def test_a_question_of_odd_characters_is_asked() -> None:
    async with serving() as client:
        answer = await client.post(
            "/ask",
            content=b'{"question": "leave \\ud800 days \\u0000 paid \\ud83d\\ude00"}',
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == 200
        shown = (await client.get(f"/threads/{answer.json()['thread_id']}")).json()
    assert shown["question"] == "leave \ufffd days \x00 paid 😀"


async def test_a_caller_may_lower_a_budget() -> None:
    async with serving(scripted(score=0.1)) as client:
        said = (await client.post("/ask", json=ASK | {"budget": {"max_retries": 0, "deadline_s": 30}})).json()
    assert (said["stop_reason"], said["retry_count"]) == ("max_retries", 0)
