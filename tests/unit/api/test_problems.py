import json
import logging

import pytest
from fastapi import FastAPI

from api import problems
from api.problems import problem
from errors import TooMany
from tests.fakes.service import client_of, serving


def failing_app() -> FastAPI:
    app = FastAPI()

    @app.get("/boom")
    async def boom() -> None:
        raise ValueError("password hunter2 in /srv/alice")

    @app.get("/busy")
    async def busy() -> None:
        raise TooMany("Too many questions at once.")

    problems.install(app)
    app.add_middleware(problems.Unexpected)
    return app


async def test_an_unexpected_exception_is_a_500_that_says_nothing_but_a_reference(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with client_of(failing_app()) as client:
            answer = await client.get("/boom")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert said["code"] == "internal"
    assert said["request_id"] in said["detail"]
    assert said["request_id"] in caplog.text
    for secret in ("hunter2", "alice", "Traceback"):
        assert secret not in answer.text + caplog.text


async def test_our_own_error_is_its_sentence_and_says_when_to_come_back() -> None:
    async with client_of(failing_app()) as client:
        answer = await client.get("/busy")
    assert answer.json() == {
        "type": "about:blank",
        "title": "Too Many Requests",
        "status": 429,
        "code": "too_many",
        "detail": "Too many questions at once.",
        "retryable": True,
    }
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("DELETE", "/boom", 405)])
async def test_unknown_addresses_and_methods_are_problems_too(method: str, path: str, status: int) -> None:
    async with client_of(failing_app()) as client:
        answer = await client.request(method, path)
    assert answer.status_code == answer.json()["status"] == status
    assert answer.headers["content-type"] == "application/problem+json"
    if status == 405:
        assert answer.headers["allow"] == "GET"


async def test_allow_names_every_method_of_an_address() -> None:
    async with serving() as client:
        told = [await client.put(path) for path in ("/documents", "/documents/a/b", "/threads/x", "/ask", "/")]
    assert {answer.status_code for answer in told} == {405}
    assert [answer.headers["allow"] for answer in told] == [
        *("GET, POST", "GET, PATCH, DELETE", "GET, DELETE", "POST", "GET, HEAD")
    ]


@pytest.mark.parametrize("body", [b"\xff", b"[" * 100_000, b'{"question": ' + b"9" * 5_000 + b"}", b'{"question"', b""])
async def test_a_body_that_cannot_be_read_is_said_to_be_no_json(body: bytes) -> None:
    async with serving() as client:
        answer = await client.post("/ask", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert "JSON" in answer.json()["detail"]


async def test_a_body_of_another_kind_is_told_which_it_must_be() -> None:
    async with serving() as client:
        answer = await client.post("/ask", content=b'{"question": "a"}', headers={"content-type": "text/plain"})
    assert (answer.status_code, "application/json" in answer.json()["detail"]) == (422, True)


async def test_a_body_of_thousands_of_unknown_fields_is_one_error() -> None:
    async with serving() as client:
        answer = await client.post("/ask", json={"question": "a", **dict.fromkeys(map(str, range(50_000)))})
    assert answer.json()["detail"] == "Value error, more than 10 fields are not of this request."


def test_no_sentence_holds_what_a_terminal_obeys_or_has_no_end() -> None:
    told = bytes(problem(422, "bad_request", "a\x1b[31m\x9b\u202e\ud800\r\n" + "b" * 10_000).body)
    detail = json.loads(told)["detail"]
    assert detail.startswith("a?[31m?????b")
    assert len(detail) == 2_001
