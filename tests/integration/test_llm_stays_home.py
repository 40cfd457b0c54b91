"""Case A16 and A38, the model's half: calls go to the endpoint and nowhere else, and stay out of the graph's stream."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypedDict
from urllib.parse import urlsplit

import pytest
from langgraph.graph import END, START, StateGraph
from langsmith import utils as langsmith_utils

from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import LLMReasoner
from tests.fakes.endpoint import FakeEndpoint
from tests.unit.reasoner import samples


@pytest.fixture
async def reasoner(endpoint: FakeEndpoint) -> AsyncIterator[LLMReasoner]:
    endpoint.always("route", lambda body: {"reason": "", "need_retrieval": True, "standalone": "s"})
    endpoint.script("rewrite", {"reason": "", "sub_questions": [], "queries": []}, {"reason": "", "queries": []})
    endpoint.script("grade", {"reason": "", "grades": [], "contradictions": []})
    endpoint.always("answer", lambda body: ["The owner ", "pays [1]."])
    opened = LLMReasoner(ChatEndpoint("gpt-4o", endpoint.url))
    yield opened
    await opened.aclose()


@pytest.fixture
def contacted(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Hosts and addresses that anything in this process looks up or connects to, in any thread."""
    seen: set[str] = set()
    look_up, connect = socket.getaddrinfo, socket.socket.connect

    def recorded_look_up(host: Any, *rest: Any, **more: Any) -> Any:
        seen.add(str(host))
        return look_up(host, *rest, **more)

    def recorded_connect(self: socket.socket, address: Any) -> None:
        seen.add(f"{address[0]}:{address[1]}" if isinstance(address, tuple) else str(address))
        connect(self, address)

    monkeypatch.setattr(socket, "getaddrinfo", recorded_look_up)
    monkeypatch.setattr(socket.socket, "connect", recorded_connect)
    return seen


@pytest.fixture(params=["untraced", "traced"])
def tracing(request: pytest.FixtureRequest) -> Iterator[None]:
    """A developer's shell may ask LangChain to send every prompt to LangSmith."""
    forget: Callable[[], None] = getattr(langsmith_utils.get_env_var, "cache_clear")  # noqa: B009 (untyped)
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "traced":
            patch.setenv("LANGSMITH_TRACING", "true")
            patch.setenv("LANGSMITH_API_KEY", "lsv2_none")
            patch.setenv("LANGSMITH_ENDPOINT", "http://127.0.0.1:9")
        forget()
        yield
    forget()


@pytest.mark.usefixtures("tracing")
async def test_nothing_but_the_endpoint_is_contacted(
    reasoner: LLMReasoner, endpoint: FakeEndpoint, contacted: set[str]
) -> None:
    await reasoner.route(samples.route_request())
    await reasoner.rewrite(samples.first_rewrite())
    await reasoner.rewrite(samples.later_rewrite())
    await reasoner.grade(samples.grade_request())
    pieces = [piece async for piece in reasoner.answer(samples.cited_answer())]
    assert pieces[0] == "The owner pays [1].", "held to its end, since it is the first answer"
    host = urlsplit(endpoint.url)
    assert contacted <= {host.netloc, str(host.hostname)}
    assert host.netloc in contacted, "the recorder saw nothing"


class State(TypedDict):
    said: str


async def test_decisions_and_answers_stay_out_of_the_graphs_message_stream(
    reasoner: LLMReasoner, endpoint: FakeEndpoint
) -> None:
    async def think(state: State) -> State:
        await reasoner.route(samples.route_request())
        pieces = [piece async for piece in reasoner.answer(samples.cited_answer()) if isinstance(piece, str)]
        return {"said": "".join(pieces)}

    graph = StateGraph(State).add_node("think", think).add_edge(START, "think").add_edge("think", END).compile()
    parts = [part async for part in graph.astream({"said": ""}, stream_mode=["messages", "updates"])]
    assert parts == [("updates", {"think": {"said": "The owner pays [1]."}})]
    assert "stream" not in endpoint.of("route")[0].body or endpoint.of("route")[0].body["stream"] is False
