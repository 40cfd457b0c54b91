"""Case A15: an endpoint that takes ten texts a request loses no file, and a file that fails is named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from context.retrieval import Principal
from corpus.documents import NewDocument
from graph.wiring import Services, open_services
from server import create_app
from settings import Endpoint, Settings
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.service import client_of

ME = Principal()
LONG = "\n\n".join(f"## 第{n}条\n\n电梯 {n} 号的维修费用由责任人承担，编号 {n * 7919}。" for n in range(137))
SHORT = {f"small-{n}.md": f"第 {n} 号楼的门禁由物业维护。" for n in range(5)}
FILES = {"large.md": LONG, **SHORT}


def settings(folder: Path, endpoint: FakeEndpoint, batch: int | None) -> Settings:
    embeddings = Endpoint(base_url=endpoint.url, model="m")
    return Settings.model_construct(data=folder, embeddings=embeddings, embeddings_batch=batch)


@asynccontextmanager
async def opened(folder: Path, endpoint: FakeEndpoint, batch: int | None) -> AsyncIterator[Services]:
    async with open_services(settings(folder, endpoint, batch), sample=False) as services:
        yield services


def sizes(endpoint: FakeEndpoint) -> list[int]:
    return [len(call.body["input"]) for call in endpoint.calls]


@pytest.mark.parametrize("batch", [None, 10, 3])
async def test_six_files_are_wholly_indexed(tmp_path: Path, endpoint: FakeEndpoint, batch: int | None) -> None:
    endpoint.embeddings.max_inputs = 10
    async with opened(tmp_path, endpoint, batch) as services:
        outcomes = await services.index.add([NewDocument(name, text) for name, text in FILES.items()], ME)
        count = await services.index.count(ME, None)
    assert {outcome.doc_id: outcome.result for outcome in outcomes} == dict.fromkeys(FILES, "added")
    assert count == sum(outcome.chunks for outcome in outcomes) >= 137 + 5
    accepted = [call.body["input"] for call in endpoint.calls if len(call.body["input"]) <= 10]
    assert len({text for texts in accepted for text in texts}) == count + 1  # and the one that asks for the dimension
    if batch:
        assert max(sizes(endpoint)) <= batch


async def post(client: AsyncClient, files: dict[str, str]) -> Any:
    documents = [{"doc_id": name, "text": text} for name, text in files.items()]
    return await client.post("/documents", json={"documents": documents})


async def test_the_file_that_fails_is_named_and_the_others_are_indexed(tmp_path: Path, endpoint: FakeEndpoint) -> None:
    endpoint.embeddings.refused_word = "编号 79190。"
    async with client_of(create_app(settings(tmp_path, endpoint, 10), sample=False)) as client:
        first = await post(client, FILES)
        endpoint.embeddings.refused_word = None
        endpoint.calls.clear()
        second = await post(client, FILES)
    assert first.status_code == 422
    said = {document["doc_id"]: document for document in first.json()["documents"]}
    assert {name for name, document in said.items() if document["result"] == "failed"} == {"large.md"}
    assert "refused the text that begins" in said["large.md"]["sentence"]
    assert second.status_code == 200
    assert [document["result"] for document in second.json()["documents"]] == ["added", *["unchanged"] * 5]
    assert said["large.md"]["code"] == "text_refused"
    assert sum(sizes(endpoint)) < 137  # what was embedded before the refusal is not embedded again


async def test_an_endpoint_that_is_down_is_the_services_failure_and_not_the_documents(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    async with client_of(create_app(settings(tmp_path, endpoint, 10), sample=False)) as client:
        endpoint.embeddings.status = 500
        down = await post(client, {"a.md": "一", "b.md": "二"})
        both = await client.post(
            "/documents", json={"documents": [{"doc_id": "a.md", "text": "一"}, {"doc_id": "c.md", "text": " "}]}
        )
        endpoint.embeddings.status = 200
        up = await post(client, {"a.md": "一", "b.md": "二"})
    assert (down.status_code, down.json()["code"], down.headers["retry-after"]) == (503, "unavailable", "1")
    assert [(one["doc_id"], one["code"]) for one in down.json()["documents"]] == [
        ("a.md", "unavailable"),
        ("b.md", "unavailable"),
    ]
    assert both.status_code == 503
    assert [one["code"] for one in both.json()["documents"]] == ["unavailable", "bad_request"]
    assert up.status_code == 200
