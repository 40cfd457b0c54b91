"""Agent mode over HTTP on both sides: a chat endpoint with function calling and one without."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from pydantic import SecretStr

from server import create_app
from settings import Endpoint, Settings
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.misbehaviour import Misbehaviour
from tests.fakes.service import client_of
from tests.unit.reasoner.test_choosing import flat

DOCUMENTS = [
    {"doc_id": "leave.md", "text": "Employees have 20 days of paid leave a year."},
    {"doc_id": "secret.md", "text": "Paid leave of directors: 40 days.", "metadata": {"secret": True}},
]
GRADE = {"passage": 1, "sub_question": 1, "reason": "says so", "quote": "20 days", "band": "direct", "score": 0.95}
QUESTION = "How many days of paid leave do employees have?"
CALLS: list[dict[str, Any]] = [
    {"tool": "search", "query": "paid leave entitlement"},
    {"tool": "find", "doc": 1, "pattern": r"\d+ days", "regex": True},
    {"tool": "note", "sub_question": 1, "chunk": 1, "quote": "20 days of paid leave"},
    {"tool": "finish"},
]


@pytest.fixture
async def client(endpoint: FakeEndpoint, tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """A service whose default mode is the agent, and whose model finds the passage relevant and answers from it."""
    endpoint.always("route", lambda body: {"reason": "a fact", "need_retrieval": True, "standalone": QUESTION})
    plan = {"reason": "", "sub_questions": [{"text": QUESTION, "required": True}], "queries": []}
    endpoint.always("rewrite", lambda body: plan)
    endpoint.always("grade", lambda body: {"reason": "", "grades": [GRADE], "contradictions": []})
    endpoint.always("answer", lambda body: ["They have ", "20 days [1]."])
    there = Endpoint(base_url=endpoint.url, api_key=SecretStr("sk-marker-7d1f"), model="any")
    settings = Settings(chat=there, small_chat=Endpoint(), embeddings=there, data=tmp_path, mode="agent")
    async with client_of(create_app(settings, sample=False)) as opened:
        added = await opened.post("/documents", json={"documents": DOCUMENTS})
        assert added.status_code == 200, added.text
        yield opened


@pytest.mark.parametrize("functions", [True, False])
async def test_an_answer_by_four_tool_calls(client: AsyncClient, endpoint: FakeEndpoint, functions: bool) -> None:
    if not functions:
        endpoint.misbehaviour = Misbehaviour(refuses=["tools"])
    endpoint.script("tool", *(call if functions else flat(**call) for call in CALLS))
    asked = {"question": QUESTION, "filters": {"secret": {"$exists": False}}}
    reply = (await client.post("/ask", json=asked)).json()
    assert (reply["mode"], reply["status"], reply["stop_reason"]) == ("agent", "answered", "sufficient")
    assert reply["answer"] == "They have 20 days [1]."
    assert (reply["usage"]["tool_calls"], reply["usage"]["searches"]) == (4, 1)
    turned_down = 0 if functions else 2
    assert reply["usage"]["model_calls"] == len(CALLS) + 4 + turned_down
    assert not any("40 days" in call.prompt for call in endpoint.calls if call.kind), "the filter holds for every tool"
    steps = (await client.get(f"/threads/{reply['thread_id']}/history")).json()["steps"]
    calls = [step["changed"]["tool_calls"][0] for step in steps if step["node"] == "agent"]
    assert [call["tool"] for call in calls] == ["search", "find", "note", "finish"]
    assert calls[1]["arguments"] == {"doc": "leave.md", "pattern": r"\d+ days", "regex": True}
    endpoint.assert_spent()


async def test_the_mode_is_told_with_its_own_way(client: AsyncClient) -> None:
    modes = {one["mode"]: one for one in (await client.get("/modes")).json()["modes"]}
    assert modes["agent"]["path"]["nodes"] == ["route", "rewrite", "agent", "evaluate", "generate"]
    assert (modes["agent"]["available"], modes["agent"]["path"]["back_to"]) == (True, "agent")
