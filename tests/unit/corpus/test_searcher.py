"""An embedder that does not answer takes only its own lane with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from context.retrieval import Principal, SearchRequest, SearchResult, Vectors
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.reranking import Rerank
from tests.fakes.embedder import HashEmbedder
from tests.fakes.time import in_virtual_time

ME = Principal()
LATE = "The embedder did not answer in time."
REQUEST = SearchRequest(("电梯维修费",), ME, timeout_s=0.01)


class Hanging(HashEmbedder):
    """Embeds passages; does not answer queries until told to."""

    answers = False

    async def queries(self, texts: Sequence[str]) -> Vectors:
        if not self.answers:
            await asyncio.Event().wait()
        return await super().queries(texts)


@pytest.fixture
def embedder() -> Hanging:
    return Hanging()


@pytest.fixture
async def index(tmp_path: Path, embedder: Hanging) -> AsyncIterator[Index]:
    index = await opened(tmp_path, embedder)
    yield index
    await index.close()


async def opened(folder: Path, embedder: Hanging, rerank: Rerank | None = None) -> Index:
    index = await Index.open(folder, embedder, rerank=rerank or Rerank())
    await index.add([NewDocument("a", "电梯维修费由物业承担。", metadata={"year": 2024}), NewDocument("b", "食堂")], ME)
    return index


def errors_of(result: SearchResult) -> list[tuple[str, str | None]]:
    return [(report["lane"], report["error"]) for report in result.lanes]


async def test_what_the_words_find_comes_without_it_and_the_report_says_so(index: Index) -> None:
    result = await index.search(REQUEST)
    assert [doc["doc_id"] for doc in result.docs] == ["a"]
    assert errors_of(result) == [("keyword", None), ("vector", LATE)]
    assert result.searches == 1


async def test_its_silence_is_not_kept(index: Index, embedder: Hanging) -> None:
    await index.search(REQUEST)
    embedder.answers = True
    result = await index.search(SearchRequest(REQUEST.queries, ME))
    assert errors_of(result) == [("keyword", None), ("vector", None)]
    assert (await index.search(REQUEST)).lanes[1]["cached"], "what is known needs no time"


async def test_with_no_other_lane_nothing_is_found(index: Index) -> None:
    result = await index.search(SearchRequest(REQUEST.queries, ME, lanes=("vector",), timeout_s=0.01))
    assert (result.docs, errors_of(result)) == ((), [("vector", LATE)])


async def test_re_ordering_by_it_leaves_the_fused_order(tmp_path: Path, embedder: Hanging) -> None:
    index = await opened(tmp_path, embedder, Rerank("embedding", timeout_s=100))
    result = await index.search(SearchRequest(REQUEST.queries, ME, rerank=True, timeout_s=0.01))
    assert [doc["doc_id"] for doc in result.docs] == ["a"]
    assert errors_of(result)[-1] == ("rerank", "The reranker did not answer in time.")
    await index.close()


async def test_no_similarities_in_time_are_none(index: Index) -> None:
    assert await index.statistics.similarities(["电梯"], [], ME, 0.01) is None


def test_a_narrowed_search_waits_for_it_once(tmp_path: Path, embedder: Hanging) -> None:
    async def waited(clock: Callable[[], float]) -> float:
        index = await opened(tmp_path, embedder)
        before = clock()
        result = await index.search(SearchRequest(REQUEST.queries, ME, narrowed={"year": 2024}, timeout_s=8.0))
        after = clock()
        await index.close()
        assert [report["error"] for report in result.lanes] == [None, LATE] * 2
        return after - before

    assert in_virtual_time(waited) == pytest.approx(8.0)
