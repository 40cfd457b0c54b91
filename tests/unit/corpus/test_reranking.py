"""After fusion: the best hits re-ordered, or the fused order with a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from context.retrieval import Principal, SearchRequest, SearchResult
from corpus.documents import NewDocument
from corpus.fuser import EQUAL
from corpus.index import Index
from corpus.reranking import Rerank
from errors import Unavailable
from tests.fakes.embedder import HashEmbedder

ME = Principal()

Opened = Callable[..., Awaitable[Index]]
TEXTS = {"a": "电梯维修费由物业承担。", "b": "电梯维修要登记。", "c": "电梯年检。"}


class Scripted:
    """Scores by what `says` makes of the passages; keeps what it was asked."""

    name = "scripted"

    def __init__(self, says: Callable[[Sequence[str]], Sequence[float]]) -> None:
        self.says = says
        self.asked: list[tuple[str, list[str]]] = []

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        self.asked.append((query, list(passages)))
        return self.says(passages)


class Silent:
    name = "silent"

    async def rerank(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        await asyncio.sleep(60)
        return []


def by_length(passages: Sequence[str]) -> list[float]:
    """The shortest is the best."""
    return [-float(len(passage)) for passage in passages]


def failing(error: Exception) -> Scripted:
    def fail(passages: Sequence[str]) -> Sequence[float]:
        raise error

    return Scripted(fail)


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    indexes: list[Index] = []

    async def open_with(rerank: Rerank, embedder: HashEmbedder | None = None) -> Index:
        index = await Index.open(tmp_path / str(len(indexes)), embedder, EQUAL, rerank)
        indexes.append(index)
        await index.add([NewDocument(doc_id, text) for doc_id, text in TEXTS.items()], ME)
        return index

    yield open_with
    for index in indexes:
        await index.close()


async def searched(index: Index, *queries: str, **more: Any) -> SearchResult:
    return await index.search(SearchRequest(queries or ("电梯维修费",), ME, **more))


def names(result: SearchResult) -> list[str]:
    return [doc["doc_id"] for doc in result.docs]


async def test_the_reranker_orders_and_each_hit_says_where_it_was_put(opened: Opened) -> None:
    reranker = Scripted(by_length)
    index = await opened(Rerank(reranker))
    fused, result = await searched(index), await searched(index, rerank=True)
    assert (names(fused), names(result)) == (["a", "b", "c"], ["c", "b", "a"])
    assert [doc["rank"] for doc in result.docs] == [1, 2, 3]
    assert [doc["lanes"][-1]["lane"] for doc in result.docs] == ["rerank"] * 3
    assert [doc["lanes"][-1]["rank"] for doc in result.docs] == [1, 2, 3]
    assert {doc["doc_id"]: doc["score"] for doc in result.docs} == {d["doc_id"]: d["score"] for d in fused.docs}
    assert (result.lanes[-1]["lane"], result.lanes[-1]["hits"], result.lanes[-1]["error"]) == ("rerank", 3, None)
    assert reranker.asked[0] == ("电梯维修费", [f"{name}\n{TEXTS[name]}" for name in "abc"])


async def test_only_the_best_are_reordered_and_the_rest_follow(opened: Opened) -> None:
    index = await opened(Rerank(Scripted(by_length), depth=2))
    assert names(await searched(index, rerank=True)) == ["b", "a", "c"]
    assert names(await searched(index, rerank=True, top_k=1)) == ["b"]
    assert names(await searched(index, rerank=True, top_k=1, rerank_depth=3)) == ["c"]


async def test_several_queries_are_reordered_for_the_first(opened: Opened) -> None:
    reranker = Scripted(by_length)
    index = await opened(Rerank(reranker))
    await searched(index, " ", "年检", "维修", rerank=True)
    assert [query for query, _ in reranker.asked] == ["年检"]


async def test_one_is_waited_for_no_longer_than_the_request_has_time(opened: Opened) -> None:
    result = await searched(await opened(Rerank(Silent(), timeout_s=100)), rerank=True, timeout_s=0.01)
    assert names(result) == ["a", "b", "c"]
    assert result.lanes[-1]["error"] == "The reranker did not answer in time."


@pytest.mark.parametrize(
    ("rerank", "sentence"),
    [
        (Rerank(failing(Unavailable("It is down."))), "It is down."),
        (Rerank(failing(RuntimeError("a secret"))), "The reranker failed."),
        (Rerank(Silent(), timeout_s=0.01), "The reranker did not answer in time."),
        (Rerank(Scripted(lambda passages: [1.0])), "The reranker gave an answer that cannot be used."),
        (Rerank(Scripted(lambda passages: [float("nan")] * 3)), "The reranker gave an answer that cannot be used."),
        (Rerank(), "Hits are not re-ordered: there is no reranker and no embedder."),
    ],
)
async def test_one_that_fails_leaves_the_fused_order_and_the_result_says_so(
    opened: Opened, rerank: Rerank, sentence: str
) -> None:
    index = await opened(rerank)
    result = await searched(index, rerank=True)
    assert names(result) == ["a", "b", "c"]
    assert (result.lanes[-1]["lane"], result.lanes[-1]["error"]) == ("rerank", sentence)
    assert all(place["lane"] == "keyword" for doc in result.docs for place in doc["lanes"])


async def test_by_embedding_uses_the_vectors_that_are_kept(opened: Opened) -> None:
    embedder = HashEmbedder()
    index = await opened(Rerank(Scripted(by_length)), embedder)
    embedder.embedded.clear()
    result = await searched(index, lanes=("keyword",), rerank=True, reranker="embedding")
    near = await searched(index, lanes=("vector",))
    assert names(result) == names(near)
    assert [doc["lanes"][-1]["score"] for doc in result.docs] == pytest.approx(
        [doc["lanes"][0]["score"] for doc in near.docs], abs=1e-5
    )
    assert embedder.embedded == ["电梯维修费"]


async def test_nothing_found_asks_no_reranker(opened: Opened) -> None:
    reranker = Scripted(by_length)
    index = await opened(Rerank(reranker))
    result = await searched(index, "sourdough", rerank=True)
    assert (result.docs, reranker.asked) == ((), [])


async def test_the_name_is_the_configured_ones(opened: Opened) -> None:
    rerankers: list[Rerank] = [Rerank(), Rerank("embedding"), Rerank(Scripted(by_length))]
    assert [(await opened(one)).reranker_name for one in rerankers] == [None, "embedding", "scripted"]
