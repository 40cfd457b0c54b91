"""An embeddings endpoint that is away at the start: searches go by words, and by vectors once it is back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient
from pydantic import SecretStr

import errors
from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from server import create_app
from settings import Endpoint, Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.service import client_of

ME = Principal()
TEXTS = {"a": "电梯维修费用由业主承担。", "b": "食堂十二点开门。", "c": "车位按月收费。"}


class Away(HashEmbedder):
    """Does not answer until told."""

    away = True

    def _embed(self, texts: Any) -> Any:
        if self.away:
            raise errors.Unavailable("The endpoint is away.")
        return super()._embed(texts)


async def without_vectors(folder: Path, *, present: HashEmbedder) -> None:
    """An index built with the embedder, to which documents were added while there was none."""
    await (await Index.open(folder, present)).close()
    index = await Index.open(folder, None)
    await index.add([NewDocument(doc_id, text) for doc_id, text in TEXTS.items()], ME)
    await index.close()


async def lanes(index: Index, query: str) -> dict[str, list[str]]:
    """By lane the documents it found with a score, best first."""
    found = {}
    for lane in ("keyword", "vector"):
        docs = (await index.search(SearchRequest((query,), ME, lanes=(lane,)))).docs
        found[lane] = [doc["doc_id"] for doc in docs if doc["lanes"][0]["score"] > 0]
    return found


async def test_missing_vectors_stop_no_start_and_come_with_the_endpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("corpus.catching_up.DELAY_S", 0)
    caplog.set_level(logging.CRITICAL)
    embedder = Away()
    await without_vectors(tmp_path, present=HashEmbedder())
    index = await Index.open(tmp_path, embedder)
    assert await lanes(index, "电梯") == {"keyword": ["a"], "vector": []}
    (sentence,) = index.degraded
    assert sentence.endswith("until vectors can be made: The endpoint is away.")
    generation = index.generation
    embedder.away = False
    assert index._catching_up
    assert index._catching_up._task
    await index._catching_up._task
    assert index.degraded == []
    assert index.generation > generation
    assert (await lanes(index, "电梯"))["vector"][0] == "a"
    assert (await lanes(index, "食堂"))["vector"][0] == "b"
    await index.close()


@pytest.mark.parametrize("killed", [True, False])
async def test_what_was_not_caught_up_with_is_at_the_next_start(
    tmp_path: Path, killed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    await without_vectors(tmp_path, present=HashEmbedder())
    for _ in range(2):
        index = await Index.open(tmp_path, Away())
        assert await lanes(index, "电梯") == {"keyword": ["a"], "vector": []}
        if killed:
            assert index._catching_up
            await index._catching_up.stop()
            await index._derived._settling.stop()
            index._database.close()
        else:
            await index.close()
    index = await Index.open(tmp_path, HashEmbedder())
    assert index.degraded == []
    assert (await lanes(index, "电梯"))["vector"][0] == "a"
    await index.close()


@asynccontextmanager
async def service(folder: Path, endpoint: FakeEndpoint) -> AsyncIterator[AsyncClient]:
    embeddings = Endpoint(base_url=endpoint.url, model="m", api_key=SecretStr("k"), timeout_s=2)
    settings = Settings.model_construct(data=folder, embeddings=embeddings)
    async with client_of(create_app(settings, sample=False)) as client:
        yield client


async def test_the_service_starts_without_the_endpoint_and_says_so(
    tmp_path: Path, endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    async with service(tmp_path, endpoint) as client:
        documents = [{"doc_id": doc_id, "text": text} for doc_id, text in TEXTS.items()]
        await client.post("/documents", json={"documents": documents})
    endpoint.embeddings.status = 401
    async with service(tmp_path, endpoint) as client:
        (sentence,) = (await client.get("/ready")).json()["degraded"]
        assert (
            sentence
            == "The embeddings endpoint does not accept the API key: check GAPSEEK_EMBEDDINGS__API_KEY (openai/m)."
        )
        found = (await client.post("/search", json={"query": "电梯"})).json()["hits"]
        assert [(hit["doc_id"], {rank["lane"] for rank in hit["lanes"]}) for hit in found] == [("a", {"keyword"})]
        endpoint.embeddings.status = 200
        found = (await client.post("/search", json={"query": "电梯维修"})).json()["hits"]
        assert {rank["lane"] for rank in found[0]["lanes"]} == {"keyword", "vector"}
        assert (await client.get("/ready")).json()["degraded"] == []


async def test_a_folder_that_does_not_say_how_long_vectors_are_needs_the_endpoint(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    endpoint.embeddings.status = 401
    with pytest.raises(errors.Unavailable, match="GAPSEEK_EMBEDDINGS__API_KEY"):
        async with service(tmp_path, endpoint):
            pass
    await asyncio.sleep(0)
