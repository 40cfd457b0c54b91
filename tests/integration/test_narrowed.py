"""A filter that the question itself names is searched beside no filter: it lifts, and takes nothing away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from context.retrieval import Principal, SearchRequest, SearchResult
from corpus.documents import NewDocument
from corpus.index import Index

ME = Principal()
TEXT = "电梯困人后维保人员最迟三十分钟赶到现场。"
CITIES = ["上海市", "北京市", "广州市"]


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, None)
    documents = [
        NewDocument(f"{n}-{city}", TEXT + f"第{n}号说明", metadata={"city": city, "draft": city == "广州市"})
        for n, city in enumerate(CITIES * 4)
    ]
    await index.add(documents, ME)
    yield index
    await index.close()


async def search(index: Index, *queries: str, top_k: int = 100, **more: object) -> SearchResult:
    return await index.search(SearchRequest(queries, ME, lanes=("keyword",), top_k=top_k, **more))  # type: ignore[arg-type]  # of the test's own


async def test_what_passes_is_lifted_and_nothing_is_lost(index: Index) -> None:
    plain = await search(index, "困人 说明")
    both = await search(index, "困人 说明", narrowed={"city": "上海市"})
    assert {doc["doc_id"] for doc in both.docs} == {doc["doc_id"] for doc in plain.docs}
    assert all(doc["doc_id"].endswith("上海市") for doc in both.docs[:4])


async def test_provenance_tells_which_list_was_narrowed(index: Index) -> None:
    found = await search(index, "现场", narrowed={"city": "上海市"})
    marks = {doc["doc_id"]: [place.get("narrowed", False) for place in doc["lanes"]] for doc in found.docs}
    assert marks["0-上海市"] == [False, True]
    assert marks["1-北京市"] == [False]
    assert [(lane["hits"], lane.get("narrowed", False)) for lane in found.lanes] == [(12, False), (4, True)]


async def test_a_copy_that_leads_the_narrowed_list_is_no_second_hit(index: Index) -> None:
    rule = "吊篮作业须有两人在场，并系好安全带。"
    copies = [NewDocument("a", rule), NewDocument("b", rule, metadata={"city": "上海市"})]
    await index.add(copies, ME)
    found = await search(index, "吊篮作业", narrowed={"city": "上海市"})
    alike = [doc for doc in found.docs if doc["doc_id"] in ("a", "b")]
    assert len(alike) == 1
    assert {alike[0]["doc_id"], *alike[0]["also_in"]} == {"a", "b"}


async def test_the_callers_own_filter_holds_in_every_list(index: Index) -> None:
    found = await search(index, "现场", filters={"draft": False}, narrowed={"city": {"$in": ["上海市", "广州市"]}})
    assert {doc["doc_id"].partition("-")[2] for doc in found.docs} == {"上海市", "北京市"}
    assert [lane["hits"] for lane in found.lanes] == [8, 4]


async def test_where_both_are_more_than_a_filter_may_be_the_callers_holds_alone(index: Index) -> None:
    deepest: dict[str, object] = {"draft": False}
    for _ in range(7):
        deepest = {"$not": deepest}
    plain = await search(index, "现场", filters=deepest)
    both = await search(index, "现场", filters=deepest, narrowed={"city": "广州市"})
    assert both.docs == plain.docs != ()


async def test_a_filter_that_nothing_passes_changes_nothing(index: Index) -> None:
    plain, both = await search(index, "现场"), await search(index, "现场", narrowed={"city": "深圳市"})
    assert both.docs == plain.docs


async def test_a_query_is_one_search_with_and_without(index: Index) -> None:
    assert (await search(index, "说明", "现场", narrowed={"city": "上海市"})).searches == 2
    assert (await search(index, "说明", "现场", narrowed={"city": "上海市"})).searches == 0
    assert (await search(index, "现场", narrowed={"city": "北京市"})).searches == 1
