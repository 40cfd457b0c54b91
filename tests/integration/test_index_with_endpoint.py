"""An index over an embeddings endpoint: nothing half-written, nothing of the key on disk, the new key used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.embeddings.openai import OpenAIEmbedder
from corpus.index import Index
from tests.fakes.endpoint import FakeEndpoint

ME = Principal()
DOCUMENTS = [NewDocument(str(n), f"电梯 {n} 号的维修费用") for n in range(5)]


@asynccontextmanager
async def opened(folder: Path, endpoint: FakeEndpoint, key: str) -> AsyncIterator[Index]:
    embedder = await OpenAIEmbedder.connect(model="m", base_url=endpoint.url, api_key=SecretStr(key), batch=2)
    index = await Index.open(folder, embedder)
    yield index
    await index.close()
    await embedder.close()


async def test_an_endpoint_that_turns_empty_writes_nothing_and_is_named(tmp_path: Path, endpoint: FakeEndpoint) -> None:
    """Case A14 (b)."""
    async with opened(tmp_path, endpoint, "k") as index:
        endpoint.embeddings.empty = True
        outcomes = await index.add(DOCUMENTS, ME)
        assert {outcome.result for outcome in outcomes} == {"failed"}
        assert outcomes[0].sentence == (
            "The embeddings endpoint gave no vector for anything that it was sent: check GAPSEEK_EMBEDDINGS__MODEL and "
            "GAPSEEK_EMBEDDINGS__BASE_URL (openai/m)."
        )
        assert (await index.count(ME, None), list(index.catalogue.visible(ME)), index.generation) == (0, [], 0)
        endpoint.embeddings.empty = False
        assert {outcome.result for outcome in await index.add(DOCUMENTS, ME)} == {"added"}


async def test_a_restart_with_a_new_key_gives_the_same_and_keeps_neither_key(
    tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    """Case A28."""
    request = SearchRequest(("电梯 3 号",), ME)
    async with opened(tmp_path, endpoint, "first-key") as index:
        await index.add(DOCUMENTS, ME)
        before = await index.search(request)
    endpoint.calls.clear()
    async with opened(tmp_path, endpoint, "second-key") as index:
        after = await index.search(request)
    assert after == before
    assert {call.headers["authorization"] for call in endpoint.calls} == {"Bearer second-key"}
    assert [call.body["input"] for call in endpoint.calls] == [["dimension"], ["电梯 3 号"]]
    kept = everything_in(tmp_path)
    assert b"first-key" not in kept
    assert b"second-key" not in kept


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
