"""A search that takes a millisecond or two is made on the event loop; one that may take longer goes to a thread."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.masks import mask
from tests.fakes.embedder import HashEmbedder
from text.tokens import tokens

ME = Principal()


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, HashEmbedder())
    await index.add([NewDocument("a", "电梯每年检验一次。")], ME)
    yield index
    await index.close()


async def found(index: Index, query: str) -> list[str]:
    return [doc["doc_id"] for doc in (await index.search(SearchRequest((query,), ME))).docs]


class Seen:
    """A function that notes in which threads it runs."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self.threads = list[int]()

    def __call__(self, *given: Any) -> Any:
        self.threads.append(threading.get_ident())
        return self._call(*given)


@pytest.mark.parametrize(("query", "in_a_thread"), [("电梯", False), ("电梯" * 151, True)])
async def test_only_a_search_that_may_take_long_goes_to_a_thread(
    index: Index, query: str, in_a_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await found(index, "检验")  # what may enter is known from here on
    cut = Seen(tokens)
    monkeypatch.setattr("corpus.searcher.tokens", cut)
    assert await found(index, query) == ["a"]
    assert [thread != threading.get_ident() for thread in cut.threads] == [in_a_thread]


async def test_what_may_enter_is_first_worked_out_in_a_thread(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks at every document, and at what changed since the last search."""
    worked_out = Seen(mask)
    monkeypatch.setattr("corpus.pending.mask", worked_out)
    assert await found(index, "电梯") == await found(index, "检验") == ["a"]
    assert len(worked_out.threads) == 1
    assert worked_out.threads != [threading.get_ident()]


@pytest.mark.parametrize(("count", "in_a_thread"), [(1, False), (21, True)])
async def test_many_passages_are_read_in_a_thread(
    index: Index, count: int, in_a_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk_id = (await index.search(SearchRequest(("电梯",), ME))).docs[0]["chunk_id"]
    passages = Seen(index._documents.passages)
    monkeypatch.setattr(index._documents, "passages", passages)
    assert list(await index.read([chunk_id] * count, ME)) == [chunk_id]
    assert [thread != threading.get_ident() for thread in passages.threads] == [in_a_thread]
