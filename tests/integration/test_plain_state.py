"""Case A1: whatever the lanes score with, every value that is kept, sent or streamed is a plain JSON type."""

import json
import math
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from httpx_sse import aconnect_sse

from corpus.index import Index
from reasoner import grading
from reasoner.offline import OfflineReasoner
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index

DOCUMENTS = [
    {"doc_id": "leave", "text": "Employees have 20 days of paid leave a year."},
    {"doc_id": "notice", "text": "The notice period is 3 months."},
    {"doc_id": "lift", "text": "电梯维修费由责任人承担。"},
]
QUESTIONS = ["How many days of paid leave does an employee have?", "电梯维修费由谁承担？", "hello", "What is 2+3?"]


def strangers(value: Any, path: str = "") -> list[str]:
    """Where a value is not exactly a plain JSON type: a subclass, as numpy's float64 is of float, counts."""
    if type(value) is dict:
        return [found for key, item in value.items() for found in strangers(item, f"{path}.{key}")]
    if type(value) is list:
        return [found for place, item in enumerate(value) for found in strangers(item, f"{path}[{place}]")]
    plain = type(value) in (str, int, bool, type(None)) or (type(value) is float and math.isfinite(value))
    return [] if plain else [f"{path}: {type(value).__module__}.{type(value).__name__}"]


async def kept_values(app: FastAPI, thread_id: str) -> list[dict[str, Any]]:
    config = {"configurable": {"thread_id": thread_id}}
    return [snapshot.values async for snapshot in app.state.engine.graph.aget_state_history(config)]


def offline(index: Index) -> OfflineReasoner:
    """One that takes this index's cosines, numpy's as they are, into its grades."""
    return OfflineReasoner(index.statistics, grading.EMBEDDER)


async def test_every_number_in_state_events_and_json_is_plain(tmp_path: Path, monkeypatch: Any) -> None:
    app = create_app(Settings.model_construct(), opener=opening_index(tmp_path, offline, HashEmbedder()))
    written: list[str] = []
    async with client_of(app) as client:
        assert (await client.post("/documents", json={"documents": DOCUMENTS})).status_code == 200
        _watch_writes(app, monkeypatch, written)
        for question in QUESTIONS:
            said = await client.post("/ask", json={"question": question})
            assert said.status_code == 200
            kept = await kept_values(app, said.json()["thread_id"])
            assert len(kept) >= 4
            assert strangers(kept) == []
            async with aconnect_sse(client, "POST", "/ask", json={"question": question, "stream": True}) as source:
                events = [json.loads(event.data) async for event in source.aiter_sse()]
            assert events[-1]["status"] == said.json()["status"]
        hits = (await client.post("/search", json={"query": "paid leave"})).json()["hits"]
    assert hits[0]["doc_id"] == "leave"
    assert written == []


def _watch_writes(app: FastAPI, monkeypatch: Any, written: list[str]) -> None:
    """Look at what nodes write before msgpack turns it into something else."""
    saver = app.state.engine.graph.checkpointer
    put_writes = saver.aput_writes

    async def watched(config: Any, writes: Any, *rest: Any, **more: Any) -> None:
        written.extend(strangers([value for channel, value in writes if not channel.startswith("branch:")]))
        await put_writes(config, writes, *rest, **more)

    monkeypatch.setattr(saver, "aput_writes", watched)
