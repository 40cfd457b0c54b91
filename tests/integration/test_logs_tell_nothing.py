"""At `debug`, over asks, replays, uploads and failures: lines with every id, and nothing that anybody wrote or has."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from pydantic import SecretStr

from api.keys import KeyFile, Wanted
from api.logs import configure
from context.reasoning import GradeRequest
from corpus.ingest.convert.converted import Converted
from corpus.ingest.convert.converter import Converter
from server import create_app
from settings import Endpoint, Settings
from tests.fakes.chat_reply import Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.service import client_of, grading, opening, scripted

MARK = "qzmark"
QUESTION = f"How many days of paid {MARK} leave do employees have?"
TEXT = f"Employees have 20 days of paid {MARK} leave a year."
GRADE = {"passage": 1, "sub_question": 1, "reason": MARK, "quote": TEXT, "band": "direct", "score": 0.95}


def lines_of(said: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.splitlines()]


def script(endpoint: FakeEndpoint) -> None:
    """A model that says the mark wherever it can say anything."""
    endpoint.always("route", lambda body: {"reason": MARK, "need_retrieval": True, "standalone": QUESTION})
    queries = [{"text": f"{MARK} entitlement", "sub_question": 1}]
    checklist = [{"text": QUESTION, "required": True}]
    endpoint.always("rewrite", lambda body: {"reason": MARK, "sub_questions": checklist, "queries": queries})
    endpoint.always("grade", lambda body: {"reason": MARK, "grades": [GRADE], "contradictions": []})
    endpoint.always("answer", lambda body: [f"They have {MARK} ", "20 days [1]."])


async def use(client: AsyncClient, endpoint: FakeEndpoint) -> None:
    """Uploads, asks, replays, and what can go wrong with each."""
    document = {"doc_id": f"{MARK}.md", "title": MARK, "text": TEXT, "metadata": {MARK: MARK}}
    await client.post("/documents", json={"documents": [document]})
    for name, content in ((f"{MARK}.md", TEXT), (f"{MARK}.pdf", f"%PDF-1.4 {MARK}"), (f"x.{MARK}", MARK)):
        await client.post("/documents", files={"files": (name, content.encode())})
    said = (await client.post("/ask", json={"question": QUESTION})).json()
    assert said["status"] == "answered"
    thread = f"/threads/{said['thread_id']}"
    steps = (await client.get(f"{thread}/history")).json()["steps"]
    at = next(step["checkpoint_id"] for step in steps if step["node"] == "retrieve")
    await client.post(f"{thread}/replay", json={"checkpoint_id": at, "state": {"question": QUESTION}})
    await client.post(f"{thread}/replay", json={"checkpoint_id": at, "state": {MARK: MARK}})
    await client.post("/ask", json={"question": QUESTION, "filters": {MARK: {f"${MARK}": MARK}}})
    await client.get(f"/documents/{MARK}?version={MARK}")
    await client.post("/ask", content=f'{{"{MARK}'.encode())
    endpoint.always("grade", lambda body: Reply([f"no JSON but {MARK}"]))
    await client.post("/ask", json={"question": QUESTION, "budget": {"max_retries": 0}})
    endpoint.always("route", lambda body: Reply(status=400, error={"message": f"{MARK} is bad", "code": MARK}))
    await client.post("/ask", json={"question": QUESTION})
    endpoint.always("route", lambda body: Reply(status=401, error={"message": f"Incorrect key {MARK}-key"}))
    await client.post("/ask", json={"question": QUESTION, "stream": True})


async def test_no_line_has_a_word_of_what_goes_through_a_model(
    endpoint: FakeEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / f"{MARK}-folder"
    script(endpoint)
    _, key = KeyFile.of(folder).create(Wanted(MARK, tenant=f"{MARK}-tenant", roles=("ask", "ingest", "admin")))
    there = Endpoint(base_url=endpoint.url, api_key=SecretStr(f"{MARK}-key"), model="any", retries=0)
    settings = Settings(chat=there, embeddings=there, data=folder, log="json", log_level="debug")
    configure(settings)
    headers = {"Authorization": f"Bearer {key}"}
    async with client_of(create_app(settings, sample=False), headers=headers) as client:
        await use(client, endpoint)
        told = (await client.get("/metrics")).text
    said = capsys.readouterr().err
    lines = lines_of(said)
    assert {line["status"] for line in lines if line["message"] == "run"} >= {"answered", "failed"}
    assert {line["status"] for line in lines if line["message"] == "request"} >= {200, 404, 422, 503}
    assert any(line["logger"].startswith("reasoner") for line in lines)
    assert [line for line in said.splitlines() if MARK in line] == []
    assert MARK not in told
    assert not any(secret in said for secret in (key, key.rpartition("_")[2], str(tmp_path), endpoint.url))


async def test_every_line_of_a_runs_work_has_its_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also what a library says, on the loop, in a thread of the pool, and in a task of its own."""
    library, grade_all = logging.getLogger("somebodys.library"), grading(0.95)

    async def grade(request: GradeRequest) -> Any:
        library.warning("on the loop")
        await asyncio.to_thread(library.warning, "in a thread")
        await asyncio.create_task(asyncio.to_thread(library.warning, "in a task"))
        return grade_all(request)

    configure(Settings.model_construct(log="json", log_level="debug"))
    app = create_app(Settings.model_construct(data=tmp_path), opener=opening(scripted(grade=grade)))
    async with client_of(app) as client:
        sent = [{"X-Request-Id": f"request-{n}"} for n in range(2)]
        ask = {"question": "How many days of paid leave?"}
        replies = await asyncio.gather(*(client.post("/ask", json=ask, headers=one) for one in sent))
        await client.get("/ready", headers={"X-Request-Id": "another-one"})
    lines = lines_of(capsys.readouterr().err)
    for one, reply in zip(sent, replies, strict=True):
        ids = {"request_id": one["X-Request-Id"]} | {name: reply.json()[name] for name in ("run_id", "thread_id")}
        ours = [line for line in lines if ids.items() <= line.items()]
        assert {line["message"] for line in ours} == {"on the loop", "in a thread", "in a task", "run", "request"}
    (another,) = (line for line in lines if line["request_id"] == "another-one")
    assert "run_id" not in another
    assert len(lines) == 2 * 5 + 1


async def test_what_reads_a_file_in_a_thread_of_its_own_has_them_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def convert(self: Converter, name: str, data: bytes) -> Converted:
        logging.getLogger("somebodys.library").warning("in %s", threading.current_thread().name.rpartition("_")[0])
        return Converted("Text.", None, None)

    monkeypatch.setattr(Converter, "convert", convert)
    configure(Settings.model_construct(log="json"))
    app = create_app(Settings.model_construct(data=tmp_path), opener=opening())
    async with client_of(app) as client:
        sent = {"X-Request-Id": "the-upload"}
        await client.post("/documents", files={"files": ("a.pdf", b"%PDF-1.4 nothing")}, headers=sent)
    lines = lines_of(capsys.readouterr().err)
    read = [line["request_id"] for line in lines if line["message"] == "in gapseek-reader"]
    assert read == ["the-upload"]
