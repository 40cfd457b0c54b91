"""Hostile texts and numbers in every place of every address: a 4xx or a right answer, and nothing half-written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest

from tests.fakes.hostile import NUMBERS, TEXTS
from tests.fakes.whole import Whole, whole

JSON: Final = {"content-type": "application/json"}
CHEAP: Final = {"mode": "bm25", "budget": {"max_retries": 0}}
KEPT: Final = "01-总则.md"

Send = Callable[..., Any]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    with whole(tmp_path_factory.mktemp("hostile")) as running:
        yield running
        assert running.said.errors == []


@pytest.fixture(scope="module")
def client(service: Whole) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=service.address, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def send(client: httpx.Client) -> Send:
    """Sends a request, looks whether its answer is one that a service gives, and returns it."""

    def sent(method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        given = {} if body is None else {"content": content, "headers": JSON}
        answer = client.request(method, path, **{**given, **more})
        assert answer.status_code < 500, answer.text
        if answer.status_code > 400:  # 400 is uvicorn's own, for what is no HTTP
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["detail"].isprintable()
            assert "Traceback" not in answer.text
        return answer

    return sent


@pytest.fixture(scope="module")
def thread(send: Send) -> tuple[str, str, dict[str, str]]:
    """A thread, its run, and a checkpoint by node."""
    reply = send("POST", "/ask", {"question": "电梯坏了，谁来付维修费？"}).json()
    steps = send("GET", f"/threads/{reply['thread_id']}/history").json()["steps"]
    return reply["thread_id"], reply["run_id"], {step["node"]: step["checkpoint_id"] for step in steps}


def each(values: dict[str, str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in values.items()])


@each(TEXTS)
def test_as_an_id(send: Send, thread: tuple[str, str, dict[str, str]], text: str) -> None:
    at, document = quote(text.encode("utf-8", "surrogatepass"), safe=""), quote(KEPT)
    for path in (f"/threads/{at}", f"/threads/{at}/history", f"/threads/{at}/export", f"/runs/{at}/events"):
        assert send("GET", path).status_code == 404
    for path in (f"/threads/{thread[0]}/diff/{at}", f"/documents/{document}?version={at}", f"/web/{at}", f"/{at}"):
        assert send("GET", path).status_code == 404
    for method, path in (("DELETE", f"/threads/{at}"), ("POST", f"/runs/{at}/cancel")):
        assert send(method, path).status_code == 404
    assert send("POST", f"/threads/{at}/reply", {"decline": True}).status_code == 404
    assert send("POST", f"/threads/{at}/replay", {"checkpoint_id": thread[2]["start"]}).status_code == 404
    assert send("POST", f"/threads/{thread[0]}/replay", {"checkpoint_id": text}).status_code == 404
    assert send("POST", "/ask", {"question": "a", "thread_id": text}).status_code == 404


@each(TEXTS)
def test_as_a_query_parameter(send: Send, text: str) -> None:
    at = quote(text.encode("utf-8", "surrogatepass"), safe="")
    for path in (f"/threads?after={at}", f"/threads?status={at}", f"/threads?limit={at}", f"/documents?limit={at}"):
        assert send("GET", path).status_code == 422
    found = send("GET", f"/documents?prefix={at}").json()["documents"]
    assert all(document["doc_id"].startswith(text) for document in found)
    send("GET", f"/documents?after={at}")
    send("GET", f"/documents/{quote(KEPT)}?offset={at}")


@each({name: text for name, text in TEXTS.items() if not set(text) & set("\x00\r\n")})
def test_as_a_header(send: Send, thread: tuple[str, str, dict[str, str]], text: str) -> None:
    value = text.encode("utf-8", "surrogatepass")
    assert send("GET", f"/runs/{thread[1]}/events", headers=[(b"last-event-id", value)]).status_code in (200, 400, 422)
    for name in (b"accept", b"x-request-id", b"if-none-match", b"x-forwarded-for", b"accept-language", b"range"):
        send("GET", "/health", headers=[(name, value)])
    assert send("GET", "/health", headers=[(b"authorization", value)]).status_code in (400, 401)


@each(TEXTS)
def test_in_a_question_and_a_filter(send: Send, text: str) -> None:
    assert send("POST", "/ask", {"question": text, **CHEAP}).status_code in (200, 413, 422)
    assert send("POST", "/ask", {"question": "a", "mode": text}).status_code == 422
    assert send("POST", "/ask", {"question": "a", text: 1}).status_code == 422
    for body in (
        text,
        {"a": {text: 1}},
        {"$and": text},
        {"$not": text},
        {"a": {"$in": text}},
        {"a": {"$exists": text}},
    ):
        assert send("POST", "/ask", {"question": "a", "filters": body}).status_code == 422
    assert send("POST", "/search", {"query": text}).status_code in (200, 413, 422)
    assert send("POST", "/search", {"query": "a", "k": text}).status_code == 422
    for filters in ({"title": text}, {"a": {"$in": [text, 1]}}, {"$or": [{"doc_id": {"$eq": text}}]}):
        assert send("POST", "/search", {"query": "电梯", "filters": filters}).json()["hits"] == []
    send("POST", "/search", {"query": "电梯", "filters": {text: text}})
    send("POST", "/search", {"query": "电梯", "filters": {"$not": {"doc_id": {"$lte": text}}}})


@each(TEXTS)
def test_in_a_replay(send: Send, thread: tuple[str, str, dict[str, str]], text: str) -> None:
    path, steps = f"/threads/{thread[0]}/replay", thread[2]
    refused: list[dict[str, Any]] = [
        *({"dials": {name: value}} for name, value in ((text, 1), ("threshold", text), ("max_tokens", text))),
        *({"model": text}, {"prompts": text}, {"evidence": text}),
        *({"state": state} for state in ({text: 1}, {"mode": text}, {"sub_questions": [{"text": "a", text: 1}]})),
    ]
    for body in refused:
        assert send("POST", path, {"checkpoint_id": steps["start"], **body}).status_code == 422
    at = {"checkpoint_id": steps["retrieve"]}
    assert send("POST", path, {**at, "state": {"docs": [text]}}).status_code == 422
    send("POST", path, {**at, "state": {"sub_questions": [{"text": text, "id": text}]}, "dials": {"max_retries": 0}})


def listed(send: Send) -> set[str]:
    return {one["doc_id"] for one in send("GET", "/documents?limit=1000").json()["documents"]}


@each(TEXTS)
def test_in_a_document_of_which_either_all_is_kept_or_nothing(send: Send, text: str) -> None:
    before = listed(send)
    documents: list[dict[str, Any]] = [
        {"doc_id": text, "text": "t"},
        {"doc_id": "1.md", "text": text},
        {"doc_id": "2.md", "text": "t", "title": text},
        {"doc_id": "3.md", "text": "t", "metadata": {text: text}},
        {"doc_id": "4.md", "text": "t", "metadata": {"a": {"b": [text]}}},
    ]
    outcomes = send("POST", "/documents", {"documents": documents}).json()["documents"]
    kept = {one["doc_id"] for one in outcomes if one["result"] != "failed"}
    assert listed(send) - before == kept
    assert send("POST", "/documents", {"documents": [{"doc_id": "5.md", "text": "t", text: 1}]}).status_code == 422
    for name in kept:
        place = f"/documents/{quote(name, safe='')}"
        assert send("GET", place).json()["doc_id"] == name
        assert send("DELETE", place).status_code == 204
    assert listed(send) == before


@each(TEXTS)
def test_in_a_correction_and_a_form(send: Send, text: str) -> None:
    before = send("GET", f"/documents/{quote(KEPT)}").json()
    change = {"metadata": {"set": {text: text}}}
    if send("PATCH", f"/documents/{quote(KEPT)}", change).status_code == 204:
        name = next(iter(send("GET", f"/documents/{quote(KEPT)}").json()["layers"]["set"]))
        assert send("PATCH", f"/documents/{quote(KEPT)}", {"metadata": {"unset": [name]}}).status_code == 204
    assert send("PATCH", f"/documents/{quote(KEPT)}", {"metadata": {"unset": [text]}}).status_code == 422
    assert send("GET", f"/documents/{quote(KEPT)}").json() == before
    for field in ("metadata", "access"):
        form = {field: json.dumps(text)}
        assert send("POST", "/documents", files={"files": ("m.txt", b"t")}, data=form).status_code == 422
    names = {"doc_ids": json.dumps([text])}
    send("POST", "/documents", files={"files": ("m.txt", b"t")}, data=names)
    assert "m.txt" not in listed(send)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:20])
def test_a_number(send: Send, thread: tuple[str, str, dict[str, str]], number: str) -> None:
    for name in ("max_tokens", "max_retries", "deadline_s", "max_searches"):
        send("POST", "/ask", f'{{"question": "a", "mode": "bm25", "budget": {{"{name}": {number}}}}}')
    for condition in (f"{number}", f'{{"$gt": {number}}}', f'{{"$in": [{number}]}}', f'{{"$exists": {number}}}'):
        send("POST", "/search", f'{{"query": "电梯", "filters": {{"year": {condition}}}}}')
    for body in (f'{{"query": "a", "k": {number}}}', f'{{"query": {number}}}', f"{number}"):
        send("POST", "/search", body)
    for document in (f'"metadata": {{"a": {number}}}', f'"title": {number}', f'"access": {{"groups": [{number}]}}'):
        send("POST", "/documents", f'{{"documents": [{{"doc_id": "n.md", "text": "t", {document}}}]}}')
    for name in ("threshold", "top_k", "max_tokens", "deadline_s", "max_retries"):
        body = f'{{"checkpoint_id": "{thread[2]["evaluate"]}", "dials": {{"{name}": {number}}}}}'
        send("POST", f"/threads/{thread[0]}/replay", body)


DEEP: Final = 10_000


@pytest.mark.parametrize("inner", ["[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" * 500 + "]" * 500])
@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("/ask", '{"question": "a", "filters": {"a": ', "}}"),
        ("/search", '{"query": "a", "filters": {"$and": ', "}}"),
        ("/documents", '{"documents": [{"doc_id": "d", "text": "t", "metadata": {"a": ', "}}]}"),
        ("/documents", "", ""),
    ],
)
def test_what_is_nested_without_end(send: Send, path: str, before: str, inner: str, after: str) -> None:
    assert send("POST", path, f"{before}{inner}{after}").status_code == 422


def test_of_a_name_that_stands_twice_the_last_counts(send: Send) -> None:
    sent = '{"documents": [{"doc_id": "one.md", "doc_id": "two.md", "text": "a", "text": "b"}]}'
    assert send("POST", "/documents", sent).json()["documents"][0]["doc_id"] == "two.md"
    assert not listed(send) & {"one.md"}
