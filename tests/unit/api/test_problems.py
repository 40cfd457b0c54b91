import logging

import pytest
from fastapi import FastAPI

from api import problems
from errors import TooMany
from tests.fakes.service import client_of


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
