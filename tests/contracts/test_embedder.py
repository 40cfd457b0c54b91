"""What every `Embedder` does, whichever stands behind the Protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import numpy as np
import pytest

from context.retrieval import Embedder
from corpus.embeddings.e5 import E5Embedder
from corpus.embeddings.openai import OpenAIEmbedder
from tests.fakes.embedder import HashEmbedder
from tests.fakes.endpoint import FakeEndpoint


@asynccontextmanager
async def fake(_: FakeEndpoint) -> AsyncIterator[Embedder]:
    yield HashEmbedder()


@asynccontextmanager
async def over_http(endpoint: FakeEndpoint) -> AsyncIterator[Embedder]:
    embedder = await OpenAIEmbedder.connect(model="m", base_url=endpoint.url, batch=2)
    yield embedder
    await embedder.close()


@asynccontextmanager
async def embedded(_: FakeEndpoint) -> AsyncIterator[Embedder]:
    embedder = E5Embedder.load()
    if embedder is None:
        pytest.skip("no wheel for this platform")
    yield embedder
    await embedder.close()


MAKERS = [fake, over_http, pytest.param(embedded, marks=pytest.mark.quality)]


@pytest.fixture(params=MAKERS)
async def embedder(request: pytest.FixtureRequest, endpoint: FakeEndpoint) -> AsyncIterator[Embedder]:
    make: Callable[[FakeEndpoint], AbstractAsyncContextManager[Embedder]] = request.param
    async with make(endpoint) as made:
        yield made


async def test_a_row_of_length_one_a_text_in_order(embedder: Embedder) -> None:
    for embed in (embedder.queries, embedder.passages):
        rows = await embed(["电梯维修", "食堂", "lift"])
        assert rows.shape == (3, embedder.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
        np.testing.assert_allclose((await embed(["lift", "电梯维修"]))[::-1], rows[[0, 2]], atol=1e-4)


async def test_no_text_is_no_row(embedder: Embedder) -> None:
    assert (await embedder.queries([])).shape == (0, embedder.dimension)


@pytest.mark.parametrize("text", ["", " \n", "\x00"])
async def test_an_empty_text_is_refused(embedder: Embedder, text: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        await embedder.passages(["a", text])


async def test_text_of_any_kind_is_embedded(embedder: Embedder) -> None:
    rows = await embedder.passages(["a\x00b\ud800c", "\ufdfa" * 200, "字" * 20_000, "🙂"])
    assert np.isfinite(rows).all()


async def test_a_name_and_a_dimension_are_known(embedder: Embedder) -> None:
    assert embedder.name
    assert embedder.dimension > 0
