"""The client: what comes back, and what each way of failing becomes."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import pytest

from api.client import Client
from errors import BadRequest, Conflict, GapseekError, NotFound, Unavailable

STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def client(answer: Callable[[httpx.Request], httpx.Response]) -> Client:
    return Client(httpx.Client(base_url="http://127.0.0.1:1", transport=httpx.MockTransport(answer)))


def streaming(text: str, status: int = 200) -> Client:
    return client(lambda request: httpx.Response(status, headers=STREAM, content=text.encode()))


def problem(status: int, **fields: object) -> Client:
    return client(lambda request: httpx.Response(status, json=fields))


def test_a_call_sends_json_and_gives_the_object_back() -> None:
    def echo(request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            200, json={"method": request.method, "path": request.url.path, "body": json.loads(request.content)}
        )

    assert client(echo).call("POST", "/search", {"query": "电梯"}) == {
        "method": "POST",
        "path": "/search",
        "body": {"query": "电梯"},
    }


def test_no_content_is_an_empty_object() -> None:
    assert client(lambda request: httpx.Response(204)).call("DELETE", "/threads/a") == {}


@pytest.mark.parametrize(("status", "kind"), [(404, NotFound), (409, Conflict), (422, BadRequest), (503, Unavailable)])
def test_a_problem_becomes_the_error_of_its_status(status: int, kind: type[GapseekError]) -> None:
    with pytest.raises(kind) as caught:
        problem(status, detail="There is no such thread.", code="no_thread").call("GET", "/threads/a")
    assert (caught.value.sentence, caught.value.reason) == ("There is no such thread.", "no_thread")


def test_a_failure_that_is_no_problem_json_still_reads_as_a_sentence() -> None:
    page = client(lambda request: httpx.Response(502, text="<html>bad gateway</html>"))
    with pytest.raises(GapseekError, match="status 502"):
        page.call("GET", "/health")


def test_events_come_in_order_until_done() -> None:
    told = streaming(
        'event: run\nid: 1\ndata: {"run_id": "r"}\n\n: ping\n\n'
        'event: token\nid: 2\ndata: {"text": "data: x\\u2028y\\n"}\n\n'
        "event: done\nid: 3\ndata: {}\n\n"
        'event: token\nid: 4\ndata: {"text": "after the end"}\n\n'
    ).stream("/ask", {"question": "?"})
    assert list(told) == [("run", {"run_id": "r"}), ("token", {"text": "data: x\u2028y\n"}), ("done", {})]


def test_an_error_event_is_raised_after_what_came_before_it() -> None:
    told = streaming(
        'event: run\ndata: {"run_id": "r"}\n\n'
        'event: error\ndata: {"code": "unavailable", "detail": "The model is away."}\n\n'
        "event: done\ndata: {}\n\n"
    ).stream("/ask", {"question": "?"})
    assert next(told) == ("run", {"run_id": "r"})
    with pytest.raises(GapseekError, match="The model is away") as caught:
        next(told)
    assert caught.value.reason == "unavailable"


def test_a_stream_that_breaks_off_is_no_success() -> None:
    with pytest.raises(Unavailable, match="broke off"):
        list(streaming('event: run\ndata: {"run_id": "r"}\n\n').stream("/ask", {"question": "?"}))


def test_a_refused_stream_is_the_problem_and_no_event() -> None:
    with pytest.raises(BadRequest, match="empty"):
        list(problem(422, detail="The question is empty.").stream("/ask", {"question": " "}))


def test_an_answer_that_is_no_stream_is_said_so() -> None:
    with pytest.raises(Unavailable):
        list(client(lambda request: httpx.Response(200, text="hello")).stream("/ask", {"question": "?"}))


def test_nobody_at_the_address_is_a_sentence() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(Unavailable, match="No server answers"):
        client(refuse).call("GET", "/health")


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with Client.at("http://127.0.0.1:1") as direct:
        assert direct._http._mounts == {}


def test_another_program_at_the_address_is_a_sentence() -> None:
    with pytest.raises(Unavailable, match="not Gapseek"):
        client(lambda request: httpx.Response(200, text="<html>")).call("GET", "/health")
