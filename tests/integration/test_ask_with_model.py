"""The whole service over a chat model and an embeddings model, both spoken to over real HTTP."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from httpx import AsyncClient

from server import create_app
from tests.fakes.chat_reply import Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.modelled import DOCUMENT, KEY, QUESTION, knows_the_answer, modelled
from tests.fakes.service import client_of


@pytest.fixture
async def client(endpoint: FakeEndpoint, tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """A service whose model looks up, has one query of its own, finds the passage relevant, and answers from it."""
    knows_the_answer(endpoint)
    async with client_of(create_app(modelled(endpoint, tmp_path), sample=False)) as opened:
        added = await opened.post("/documents", json={"documents": [DOCUMENT]})
        assert added.status_code == 200, added.text
        yield opened


def kept_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


async def test_an_answer_with_usage_as_reported(client: AsyncClient) -> None:
    reply = (await client.post("/ask", json={"question": QUESTION})).json()
    assert (reply["status"], reply["stop_reason"], reply["retry_count"]) == ("answered", "sufficient", 0)
    assert reply["answer"] == "They have 20 days [1]."
    assert [citation["quote"] for citation in reply["citations"]] == ["20 days of paid leave"]
    assert reply["usage"]["reported"]["input_tokens"] > 0


async def test_history_calls_no_model_and_a_replay_says_which_nodes_called_it_anew(
    client: AsyncClient, endpoint: FakeEndpoint
) -> None:
    """Case A4."""
    reply = (await client.post("/ask", json={"question": QUESTION})).json()
    before = len(endpoint.calls)
    steps = (await client.get(f"/threads/{reply['thread_id']}/history")).json()["steps"]
    assert len(endpoint.calls) == before
    middle = next(step for step in steps if step["node"] == "retrieve")
    again = await client.post(f"/threads/{reply['thread_id']}/replay", json={"checkpoint_id": middle["checkpoint_id"]})
    assert again.json()["ran"] == ["evaluate", "generate"]
    assert [call.kind for call in endpoint.calls[before:]] == ["grade", "answer"]
    assert again.json()["thread_id"] != reply["thread_id"]


async def test_only_the_answer_is_in_the_answers_stream(client: AsyncClient) -> None:
    """Case A38."""
    streamed = await client.post("/ask", json={"question": QUESTION, "stream": True})
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in streamed.text.strip().split("\n\n")]
    tokens = [json.loads(event["data"])["text"] for event in events if event["event"] == "token"]
    assert "".join(tokens) == "They have 20 days [1]."


async def test_the_key_is_nowhere_but_in_the_calls(
    client: AsyncClient, endpoint: FakeEndpoint, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        said = [await client.post("/ask", json={"question": QUESTION}), await client.get("/health")]
        endpoint.always("route", lambda body: Reply(status=500, error={"message": f"bad key {KEY}"}))
        said.append(await client.post("/ask", json={"question": "And the notice period?"}))
    assert said[-1].status_code == 503
    assert KEY not in "".join(response.text for response in said) + caplog.text
    assert any(KEY in str(call.headers) for call in endpoint.calls)
    assert kept_in(tmp_path)
    assert KEY.encode() not in kept_in(tmp_path)
