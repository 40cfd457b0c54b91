"""Asks and a model that reads documents at ingest, beside each other: one endpoint, one limit, one circuit."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

from reasoner.lines import FAILURES
from server import create_app
from settings import Address, Endpoint, Settings
from tests.fakes.chat_reply import Reply
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.service import client_of

DOCUMENTS = [{"doc_id": f"{n}.md", "text": f"第 {n} 号楼的门禁由物业维护。"} for n in range(3)]


def settings(folder: Path, endpoint: FakeEndpoint) -> Settings:
    chat = Endpoint(base_url=endpoint.url, model="m", retries=0, concurrency=1)
    embeddings = Address(base_url=endpoint.url, model="e")
    return Settings(chat=chat, small_chat=Endpoint(), embeddings=embeddings, data=folder, extract_metadata="model")


async def test_the_limit_of_an_endpoint_holds_over_ingest_and_asks_together(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    slow = Reply(['{"reason": "", "facts": []}'], delay_s=0.1)
    endpoint.always("other", lambda body: slow)
    direct = Reply(['{"reason": "", "need_retrieval": false, "standalone": "Hello"}'], delay_s=0.1)
    endpoint.always("route", lambda body: direct)
    endpoint.always("answer", lambda body: dataclasses.replace(direct, pieces=["Hello."]))
    async with client_of(create_app(settings(tmp_path, endpoint), sample=False)) as client:
        replies = await asyncio.gather(
            client.post("/documents", json={"documents": DOCUMENTS}),
            *(client.post("/ask", json={"question": f"Well, who are you, number {n}?"}) for n in range(3)),
        )
    assert [reply.status_code for reply in replies] == [200] * 4, [reply.text for reply in replies]
    assert len(endpoint.of("other")) == 3
    assert len(endpoint.of("route")) >= 1
    assert endpoint.most_at_once == 1


async def test_failures_of_extraction_are_seen_by_readiness(tmp_path: Path, endpoint: FakeEndpoint) -> None:
    endpoint.always("other", lambda body: Reply(status=503, error={"message": "down"}))
    many = [{"doc_id": f"{n}.md", "text": f"第 {n} 号楼。"} for n in range(FAILURES + 2)]
    async with client_of(create_app(settings(tmp_path, endpoint), sample=False)) as client:
        added = await client.post("/documents", json={"documents": many})
        ready = await client.get("/ready")
    assert added.status_code == 200
    assert len(endpoint.of("other")) == FAILURES
    assert ready.status_code == 503
