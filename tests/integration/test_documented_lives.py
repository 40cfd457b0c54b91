"""A thread, a document and a person's reply from beginning to end, each step held to the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import quote

import pytest
import schemathesis

from server import create_app
from settings import Settings
from tests.fakes.whole import Whole, whole

PLAN: Final = {"doc_id": "青鸟/纪要.md", "text": "青鸟计划的预算是三千万元，由张三负责。", "metadata": {"year": 2024}}
QUESTION: Final = "青鸟计划的预算是多少，由谁负责？"

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    with whole(tmp_path_factory.mktemp("lives")) as running:
        yield running
        assert running.said.errors == []


@pytest.fixture(scope="module")
def call(service: Whole) -> Call:
    """Calls an operation, and fails where its reply is not as the document says."""
    document = create_app(Settings.model_construct(), announced=False).openapi()
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document)))

    def called(method: str, path: str, status: int, *, accept: str = "application/json", **sent: Any) -> Any:
        kind = "application/json" if "body" in sent else None
        case = schema[path][method].Case(**sent, media_type=kind)
        ignored = [schemathesis.checks.ignored_auth]
        answer = case.call_and_validate(
            base_url=service.address, headers={"Accept": accept}, timeout=60, excluded_checks=ignored
        )
        assert answer.status_code == status, answer.text
        return answer.json() if answer.headers.get("content-type") == ["application/json"] else answer.text

    return called


@pytest.fixture(scope="module", autouse=True)
def kept(call: Call) -> None:
    assert call("POST", "/documents", 200, body={"documents": [PLAN]})["documents"][0]["result"] == "added"


def events(stream: str) -> list[tuple[str, Any]]:
    """Names and data of a stream's events."""
    fields = [dict(line.split(": ", 1) for line in frame.splitlines()) for frame in stream.split("\n\n") if frame]
    return [(one["event"], json.loads(one["data"])) for one in fields]


THREAD: Final = [
    *(("GET", f"/threads/{{thread_id}}{rest}") for rest in ("", "/history", "/export", "/diff/{other_id}")),
    ("POST", "/threads/{thread_id}/replay"),
    ("POST", "/threads/{thread_id}/reply"),
    ("DELETE", "/threads/{thread_id}"),
]


def test_a_thread(call: Call) -> None:
    asked = call("POST", "/ask", 200, body={"question": QUESTION})
    assert asked["citations"]
    place = {"thread_id": asked["thread_id"]}
    again = call("POST", "/ask", 200, body={"question": "由谁负责？", **place, "mode": "agent"})
    told = events(call("GET", "/runs/{run_id}/events", 200, path_parameters={"run_id": again["run_id"]}))
    assert [name for name, _ in told][-2:] == ["answer", "done"]
    call("POST", "/runs/{run_id}/cancel", 204, path_parameters={"run_id": again["run_id"]})
    assert call("GET", "/threads/{thread_id}", 200, path_parameters=place)["reply"]["answer"] == again["answer"]
    steps = call("GET", "/threads/{thread_id}/history", 200, path_parameters=place)["steps"]
    step = {"checkpoint_id": steps[2]["checkpoint_id"]}
    replayed = call("POST", "/threads/{thread_id}/replay", 200, path_parameters=place, body=step)
    both = place | {"other_id": replayed["thread_id"]}
    call("GET", "/threads/{thread_id}/diff/{other_id}", 200, path_parameters=both)
    assert call("GET", "/threads/{thread_id}/export", 200, path_parameters=place)["steps"]
    assert len(call("GET", "/threads", 200, query={"limit": 1})["threads"]) == 1
    call("DELETE", "/threads/{thread_id}", 204, path_parameters=place)
    bodies = {"replay": {"body": step}, "reply": {"body": {"decline": True}}}
    for method, path in THREAD:
        ids = both if "other_id" in path else place
        call(method, path, 404, path_parameters=ids, **bodies.get(path.rpartition("/")[2], {}))
    call("POST", "/ask", 404, body={"question": QUESTION, **place})


def test_streams(call: Call) -> None:
    body = {"question": QUESTION, "draft": True, "stream": True}
    told = events(call("POST", "/ask", 200, body=body))
    assert {"run", "node", "token", "draft", "answer", "done"} == {name for name, _ in told}
    ids = told[0][1]
    steps = call("GET", "/threads/{thread_id}/history", 200, path_parameters={"thread_id": ids["thread_id"]})["steps"]
    body = {"checkpoint_id": steps[1]["checkpoint_id"], "stream": True, "dials": {"threshold": 0.9}}
    replay = call("POST", "/threads/{thread_id}/replay", 200, path_parameters=ids | {}, body=body)
    assert dict(events(replay))["answer"]["edited"] == ["dials"]


def test_a_persons_reply(call: Call) -> None:
    told = dict(
        events(call("POST", "/ask", 200, body={"question": "谁发明了量子电脑？", "handoff": True, "stream": True}))
    )
    assert told["interrupt"]["question"] == "谁发明了量子电脑？"
    place = {"thread_id": told["run"]["thread_id"]}
    call("POST", "/ask", 409, body={"question": QUESTION, **place})
    said = {"text": "没有人。", "name": "王女士"}
    reply = call("POST", "/threads/{thread_id}/reply", 200, path_parameters=place, body=said)
    assert reply["citations"][0]["person"]
    call("POST", "/threads/{thread_id}/reply", 409, path_parameters=place, body=said)


def test_a_document(call: Call) -> None:
    doc_id = "x/a b?.md"
    document = {"doc_id": doc_id, "text": "# One\n\nAll of it.", "title": "A", "access": {"groups": []}}
    stream = call("POST", "/documents", 200, accept="text/event-stream", body={"documents": [document]})
    assert [name for name, _ in events(stream)] == ["chunks", "document", "done"]
    place = {"doc_id": quote(doc_id, safe="/")}
    change = {"metadata": {"set": {"year": 2024}}}
    call("PATCH", "/documents/{doc_id}", 204, path_parameters=place, body=change)
    assert call("GET", "/documents/{doc_id}", 200, path_parameters=place)["metadata"]["year"] == 2024
    assert call("POST", "/search", 200, body={"query": "All of it", "filters": {"doc_id": doc_id}})["hits"]
    call("DELETE", "/documents/{doc_id}", 204, path_parameters=place)
    for method, sent in (("GET", {}), ("DELETE", {}), ("PATCH", {"body": change})):
        call(method, "/documents/{doc_id}", 404, path_parameters=place, **sent)


@pytest.mark.parametrize("path", ["/health", "/modes", "/ready"])
def test_the_service(call: Call, path: str) -> None:
    assert call("GET", path, 200)
