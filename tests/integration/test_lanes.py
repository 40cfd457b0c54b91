"""Case A9: both lanes are merged; with one broken the other answers, and the event says which part failed."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from httpx_sse import aconnect_sse

from context.retrieval import Vectors
from errors import Unavailable
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index, scripted

DOCUMENTS = [
    {"doc_id": "leave", "text": "Employees have 20 days of paid leave a year."},
    {"doc_id": "notice", "text": "The notice period is 3 months."},
]
QUESTION = "How many days of paid leave?"


class Breaking(HashEmbedder):
    """Embeds passages, and fails at queries, or never answers them, once told to."""

    broken = False
    hangs = False

    async def queries(self, texts: Sequence[str]) -> Vectors:
        if self.hangs:
            await asyncio.Event().wait()
        if self.broken:
            raise Unavailable("The embeddings endpoint does not answer.")
        return await super().queries(texts)


async def asked(folder: Path, *, broken: str | None, monkeypatch: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What the lanes reported and the reply."""
    embedder = Breaking()
    app = create_app(Settings.model_construct(), opener=opening_index(folder, lambda index: scripted(), embedder))
    async with client_of(app) as client:
        assert (await client.post("/documents", json={"documents": DOCUMENTS})).status_code == 200
        if broken == "keyword":
            monkeypatch.setattr("corpus.lanes.keyword.search", _fails)
        embedder.broken, embedder.hangs = broken == "vector", broken == "embedder hangs"
        body = {"question": QUESTION, "stream": True, "budget": {"deadline_s": 6}}
        async with aconnect_sse(client, "POST", "/ask", json=body) as source:
            events = [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]
    retrieved = next(data for _, data in events if data.get("name") == "retrieve" and data["phase"] == "end")
    return retrieved["changed"]["lanes"], next(data for event, data in events if event == "answer")


def _fails(*args: Any, **more: Any) -> Any:
    raise RuntimeError("the keyword lane broke")


async def test_both_lanes_are_merged(tmp_path: Path, monkeypatch: Any) -> None:
    lanes, reply = await asked(tmp_path, broken=None, monkeypatch=monkeypatch)
    assert {lane["lane"] for lane in lanes if lane["hits"]} == {"keyword", "vector"}
    assert [lane["error"] for lane in lanes] == [None] * len(lanes)
    assert (reply["status"], reply["citations"][0]["doc_id"]) == ("answered", "leave")


@pytest.mark.parametrize("broken", ["vector", "keyword"])
async def test_with_one_broken_the_other_answers(tmp_path: Path, broken: str, monkeypatch: Any) -> None:
    lanes, reply = await asked(tmp_path, broken=broken, monkeypatch=monkeypatch)
    assert {lane["lane"] for lane in lanes if lane["error"]} == {broken}
    assert {lane["lane"] for lane in lanes if lane["hits"]} == {"keyword", "vector"} - {broken}
    assert (reply["status"], reply["citations"][0]["doc_id"]) == ("answered", "leave")


async def test_an_embedder_that_hangs_leaves_time_to_judge_what_the_other_lane_found(
    tmp_path: Path, monkeypatch: Any
) -> None:
    lanes, reply = await asked(tmp_path, broken="embedder hangs", monkeypatch=monkeypatch)
    assert {lane["error"] for lane in lanes if lane["lane"] == "vector"} == {"The embedder did not answer in time."}
    assert (reply["status"], reply["stop_reason"], reply["citations"][0]["doc_id"]) == (
        "answered",
        "sufficient",
        "leave",
    )
