"""The fake endpoint speaks as the real ones do, and fails loudly outside its script."""

from __future__ import annotations

import base64
import json
import threading

import httpx
import numpy as np
import pytest

from tests.fakes.chat_reply import Body, Reply
from tests.fakes.endpoint import FakeEndpoint, serve

SCHEMA: Body = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


def ask(name: str | None = None, **more: object) -> Body:
    form = {"response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": SCHEMA}}} if name else {}
    return {"model": "m", "messages": [{"role": "user", "content": "hello"}], **form, **more}


def post(endpoint: FakeEndpoint, body: Body, path: str = "/chat/completions") -> httpx.Response:
    return httpx.post(endpoint.url + path, json=body, headers={"Authorization": "Bearer k"})


def test_replies_go_by_the_kind_of_call_and_requests_are_kept(endpoint: FakeEndpoint) -> None:
    endpoint.script("grade", {"ok": True})
    endpoint.script("route", '{"ok": false}')
    endpoint.script("answer", "plain")
    said = [post(endpoint, ask(name)).json()["choices"][0]["message"]["content"] for name in ("Route", "grade", None)]
    assert said == ['{"ok": false}', '{"ok": true}', "plain"]
    assert [call.kind for call in endpoint.calls] == ["route", "grade", "answer"]
    assert endpoint.calls[0].headers["authorization"] == "Bearer k"
    assert endpoint.of("answer")[0].prompt == "hello"
    endpoint.assert_spent()


def test_a_stream_sends_pieces_and_usage_only_when_asked(endpoint: FakeEndpoint) -> None:
    endpoint.always("answer", lambda body: Reply(["a", "b"], usage=(5, 6)))
    plain = post(endpoint, ask(stream=True)).text
    counted = post(endpoint, ask(stream=True, stream_options={"include_usage": True})).text
    assert plain.endswith("data: [DONE]\n\n")
    assert "usage" not in plain
    chunks = [json.loads(line[6:]) for line in counted.split("\n\n") if line.startswith("data: {")]
    assert [c["choices"][0]["delta"].get("content") for c in chunks if c["choices"]] == ["", "a", "b", None]
    assert chunks[-1]["usage"] == {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}


def test_a_reply_may_be_an_error(endpoint: FakeEndpoint) -> None:
    endpoint.script("answer", Reply(status=429, error={"message": "slow down"}, headers={"retry-after": "1"}))
    response = post(endpoint, ask())
    assert (response.status_code, response.headers["retry-after"]) == (429, "1")
    assert response.json() == {"error": {"message": "slow down"}}


@pytest.mark.parametrize("step", [None, {"ok": "yes"}, {"ok": True, "more": 1}])
def test_a_call_that_the_script_does_not_cover_is_a_recorded_failure(step: Body | None) -> None:
    with serve() as endpoint:
        endpoint.script("grade", *([step] if step else []))
        assert post(endpoint, ask("grade")).status_code == 500
        assert len(endpoint.failures) == 1
        assert "grade" in endpoint.failures[0]


def test_a_schema_of_an_unknown_name_is_a_recorded_failure_too() -> None:
    with serve() as endpoint:
        endpoint.script("answer", "not for this call")
        assert post(endpoint, ask("surprise")).status_code == 500
        assert "other" in endpoint.failures[0]


def test_unused_steps_are_reported(endpoint: FakeEndpoint) -> None:
    endpoint.script("route", "never asked")
    with pytest.raises(AssertionError, match="never used"):
        endpoint.assert_spent()


def test_it_leaves_no_thread_behind() -> None:
    before = _servers()
    with serve() as endpoint:
        assert _servers() == before + 1
        url = endpoint.url
    assert _servers() == before
    with pytest.raises(httpx.ConnectError):
        httpx.post(url + "/chat/completions", json=ask())


def embed(endpoint: FakeEndpoint, given: object, **more: object) -> httpx.Response:
    return post(endpoint, {"model": "e", "input": given, **more}, "/embeddings")


def test_embeddings_are_deterministic_unit_vectors_in_both_encodings(endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.dimension = 16
    floats = [row["embedding"] for row in embed(endpoint, ["电梯", "lift"]).json()["data"]]
    packed = embed(endpoint, "电梯", encoding_format="base64").json()["data"][0]["embedding"]
    assert np.shape(floats) == (2, 16)
    assert np.linalg.norm(floats, axis=1) == pytest.approx([1, 1])
    assert np.frombuffer(base64.b64decode(packed), "<f4") == pytest.approx(floats[0])
    assert [call.kind for call in endpoint.calls] == [None, None]


def test_the_embedding_switches(endpoint: FakeEndpoint) -> None:
    assert embed(endpoint, [[1, 2]]).status_code == 400
    endpoint.embeddings.reject_base64 = True
    assert embed(endpoint, "a", encoding_format="base64").status_code == 400
    endpoint.embeddings.max_inputs = 1
    assert embed(endpoint, ["a", "b"]).status_code == 400
    endpoint.embeddings.empty = True
    assert embed(endpoint, "a").json()["data"] == []
    endpoint.embeddings.status = 503
    assert embed(endpoint, "a").status_code == 503


def _servers() -> int:
    return sum(thread.name == "fake-endpoint" for thread in threading.enumerate())
