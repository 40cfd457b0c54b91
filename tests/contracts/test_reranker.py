"""What every `Reranker` does, whichever stands behind the Protocol."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import numpy as np
import pytest

from context.retrieval import Reranker, Vectors
from corpus.rerank.cross_encoder import CrossEncoderReranker
from corpus.rerank.embedding import EmbeddingReranker
from corpus.rerank.endpoint import EndpointReranker
from tests.fakes.embedder import HashEmbedder
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.rerank_endpoint import shared

QUERY = "电梯维修费"
PASSAGES = ["食堂开放时间", "电梯维修费由物业承担", "装修登记"]


class SharedCharacters:
    """A cross-encoder without a model."""

    def predict(self, pairs: list[tuple[str, str]]) -> Vectors:
        return np.array([shared(query, text) for query, text in pairs], np.float32)


@asynccontextmanager
async def by_embedding(_: FakeEndpoint) -> AsyncIterator[Reranker]:
    yield EmbeddingReranker(HashEmbedder())


@asynccontextmanager
async def over_http(endpoint: FakeEndpoint) -> AsyncIterator[Reranker]:
    reranker = EndpointReranker(base_url=endpoint.url, model="m", api_key=None, timeout_s=5.0)
    yield reranker
    await reranker.aclose()


@asynccontextmanager
async def cross_encoder(_: FakeEndpoint) -> AsyncIterator[Reranker]:
    yield CrossEncoderReranker("fake", SharedCharacters())


@pytest.fixture(params=[by_embedding, over_http, cross_encoder])
async def reranker(request: pytest.FixtureRequest, endpoint: FakeEndpoint) -> AsyncIterator[Reranker]:
    make: Callable[[FakeEndpoint], AbstractAsyncContextManager[Reranker]] = request.param
    async with make(endpoint) as made:
        yield made


async def test_one_plain_finite_score_a_passage_and_the_right_one_best(reranker: Reranker) -> None:
    scores = await reranker.rerank(QUERY, PASSAGES)
    assert [type(score) for score in scores] == [float] * len(PASSAGES)
    assert all(map(math.isfinite, scores))
    assert max(range(3), key=lambda place: scores[place]) == 1


async def test_scores_follow_the_order_of_the_passages(reranker: Reranker) -> None:
    scores = await reranker.rerank(QUERY, PASSAGES)
    assert list(await reranker.rerank(QUERY, PASSAGES[::-1])) == pytest.approx(list(scores)[::-1], abs=1e-5)


async def test_the_same_passage_twice_has_two_equal_scores(reranker: Reranker) -> None:
    first, second = await reranker.rerank(QUERY, [PASSAGES[1]] * 2)
    assert first == pytest.approx(second, abs=1e-5)


async def test_no_passage_is_no_score(reranker: Reranker) -> None:
    assert list(await reranker.rerank(QUERY, [])) == []


async def test_it_has_a_name(reranker: Reranker) -> None:
    assert reranker.name
