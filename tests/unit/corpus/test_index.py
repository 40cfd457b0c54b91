"""The door of the corpus: what goes in is found, by whom it may be found, until it is taken out."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import shutil
import threading
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errors
from context.retrieval import Principal, Retriever, SearchRequest, Statistics, Vectors
from corpus.documents import NewDocument, Outcome
from corpus.index import Index
from state import Lane
from tests.fakes.embedder import HashEmbedder

ME = Principal()
HR = Principal(groups=frozenset({"hr"}))
OTHER = Principal(tenant="other")


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, HashEmbedder())
    yield index
    await index.close()


@pytest.fixture
async def keyword_only(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, None)
    yield index
    await index.close()


def doc(doc_id: str, text: str, **more: Any) -> NewDocument:
    return NewDocument(doc_id, text, **more)


async def add(index: Index, *documents: NewDocument, principal: Principal = ME) -> list[str]:
    return [outcome.result for outcome in await index.add(documents, principal)]


async def found(index: Index, query: str, principal: Principal = ME, **more: Any) -> list[str]:
    result = await index.search(SearchRequest((query,), principal, **more))
    return [found["doc_id"] for found in result.docs]


def test_it_is_a_retriever_and_gives_statistics(index: Index) -> None:
    retriever: Retriever = index
    statistics: Statistics = index.statistics
    assert (retriever.generation_of(ME), retriever.embedder_name, statistics.tokens("-")) == (0, "hash", [])


async def test_added_documents_are_found_read_and_counted(index: Index) -> None:
    outcomes = await index.add([doc("a", "电梯维修费用由业主承担。"), doc("b", "食堂十二点开门。")], ME)
    assert outcomes == [Outcome("a", "added", 1), Outcome("b", "added", 1)]
    result = await index.search(SearchRequest(("电梯维修",), ME))
    assert [(found["doc_id"], found["rank"]) for found in result.docs] == [("a", 1), ("b", 2)]
    passage = (await index.read([result.docs[0]["chunk_id"]], ME))[result.docs[0]["chunk_id"]]
    assert (passage.text, passage.title, passage.version) == (
        "电梯维修费用由业主承担。",
        "a",
        result.docs[0]["version"],
    )
    assert await index.count(ME, None) == 2
    assert result.searches == 1


async def test_passages_come_in_the_order_asked_for(index: Index) -> None:
    await add(index, doc("a", "电梯"), doc("b", "食堂"), doc("c", "车位"))
    hits = {hit["doc_id"]: hit["chunk_id"] for hit in (await index.search(SearchRequest(("电梯",), ME))).docs}
    asked = [hits["c"], "gone#1", hits["a"], hits["b"]]
    assert list(await index.read(asked, ME)) == [hits["c"], hits["a"], hits["b"]]


async def test_progress_is_told_after_each_document(index: Index) -> None:
    told: list[tuple[int, int, str]] = []
    failed = Outcome("b", "failed", sentence="No.")
    outcomes = await index.add([doc("a", "x"), failed], ME, lambda done, total, o: told.append((done, total, o.doc_id)))
    assert told == [(1, 2, "a"), (2, 2, "b")]
    assert outcomes[1] is failed


async def test_a_document_given_twice_in_one_batch_is_found(index: Index) -> None:
    assert await add(index, doc("a", "电梯维修费用"), doc("a", "电梯维修费用")) == ["added", "unchanged"]
    assert await found(index, "电梯") == ["a"]
    assert await add(index, doc("a", "电梯停运"), doc("a", " ")) == ["updated", "failed"]
    assert await found(index, "停运") == ["a"]


async def test_an_unchanged_document_costs_nothing(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    await add(index, doc("a", "电梯。", metadata={"year": 2024}))
    generation, embedded = index.generation, list(embedder.embedded)
    assert await add(index, doc("a", "电梯。", metadata={"year": 2024})) == ["unchanged"]
    assert (index.generation, embedder.embedded) == (generation, embedded)
    await index.close()


async def test_a_new_version_replaces_the_old_one_which_stays_readable(index: Index) -> None:
    await add(index, doc("a", "保存三十日。"))
    old = (await index.search(SearchRequest(("保存",), ME))).docs[0]
    generation = index.generation
    assert await add(index, doc("a", "保存九十日。")) == ["updated"]
    new = (await index.search(SearchRequest(("保存",), ME))).docs
    assert [found["version"] for found in new] != [old["version"]]
    assert index.generation > generation
    passages = await index.read([old["chunk_id"], new[0]["chunk_id"]], ME)
    assert [passages[d["chunk_id"]].text for d in (old, new[0])] == ["保存三十日。", "保存九十日。"]
    assert passages[old["chunk_id"]].version == old["version"]
    assert await index.count(ME, None) == 1
    assert await add(index, doc("a", "保存三十日。")) == ["updated"]


async def test_text_embedded_once_is_not_embedded_again(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    await add(index, doc("a", "## 一\n\n甲。\n\n## 二\n\n乙。"))
    await add(index, doc("a", "## 一\n\n甲。\n\n## 二\n\n丙。"))
    assert sorted(embedder.embedded) == ["a\n一\n甲。", "a\n二\n丙。", "a\n二\n乙。"]
    await index.close()


async def test_metadata_alone_makes_a_new_version(index: Index) -> None:
    await add(index, doc("a", "x", metadata={"year": 2023}))
    assert await add(index, doc("a", "x", metadata={"year": 2024})) == ["updated"]
    assert [await index.count(ME, {"year": year}) for year in (2023, 2024)] == [0, 1]


async def test_a_deleted_document_is_gone_from_everywhere_at_once(index: Index, tmp_path: Path) -> None:
    await add(index, doc("a", "绝密电梯。"), doc("b", "别的。"))
    await add(index, doc("a", "绝密电梯，第二版。"))
    hits = [d for d in (await index.search(SearchRequest(("绝密",), ME))).docs if d["doc_id"] == "a"]
    assert len(await index.read([hit["chunk_id"] for hit in hits], ME)) == 1
    assert await index.delete("a", ME)
    assert not await index.delete("a", ME)
    assert await found(index, "绝密") == ["b"]
    assert await index.read([hit["chunk_id"] for hit in hits], ME) == {}
    assert index.statistics.idf("绝密", ME) == index.statistics.idf("从未出现", ME)
    await index.close()
    again = await Index.open(tmp_path, HashEmbedder())
    assert await found(again, "绝密") == ["b"]
    await again.close()


@pytest.mark.parametrize("texts", [[], ["。，—"], ["...", "- -"]])
async def test_an_empty_knowledge_base_is_no_error(index: Index, texts: list[str]) -> None:
    """Case A20: nothing uploaded, or nothing but punctuation."""
    await add(index, *(doc(str(n), text) for n, text in enumerate(texts)))
    result = await index.search(SearchRequest(("电梯 - .", "x"), ME, lanes=("keyword",)))
    assert (result.docs, [report["error"] for report in result.lanes]) == ((), [None, None])
    assert await index.count(ME, None) == len(texts)


async def test_an_index_emptied_again_is_no_error(index: Index) -> None:
    """Case A20, after the last document went."""
    await add(index, doc("a", "电梯"))
    await index.delete("a", ME)
    result = await index.search(SearchRequest(("电梯",), ME))
    assert (result.docs, await index.count(ME, None)) == ((), 0)
    assert [report["error"] for report in result.lanes] == [None, None]


@pytest.mark.parametrize(
    ("texts", "best"),
    [(["电梯维修"], ["0"]), (["食堂", "电梯维修"], ["1"]), (["食堂", "电梯一", "车位", "电梯二"], ["1", "3"])],
)
async def test_tiny_knowledge_bases_find_what_matches(keyword_only: Index, texts: list[str], best: list[str]) -> None:
    """Case A21, with embeddings off."""
    await add(keyword_only, *(doc(str(n), text) for n, text in enumerate(texts)))
    assert sorted(await found(keyword_only, "电梯")) == best


async def test_a_blank_document_fails_by_name_and_the_rest_goes_on(index: Index) -> None:
    outcomes = await index.add([doc("a", " \n"), doc("", "x"), doc("c", "电梯")], ME)
    assert [outcome.result for outcome in outcomes] == ["failed", "failed", "added"]
    assert outcomes[0].sentence == "The document has no text."


async def test_filters_apply_in_both_lanes(index: Index) -> None:
    await add(index, *(doc(str(year), "电梯维修", metadata={"year": year}) for year in range(2015, 2025)))
    lanes: tuple[Lane, ...] = ("keyword", "vector")
    for lane in lanes:
        assert await found(index, "电梯", filters={"year": {"$gte": 2023}}, lanes=(lane,)) == ["2023", "2024"]
    assert await index.count(ME, {"year": {"$lt": 2017}}) == 2
    assert await found(index, "电梯", filters={"doc_id": "2020"}) == ["2020"]
    assert await found(index, "电梯", filters={"year": 1}) == []


@pytest.mark.parametrize("filters", [{"$where": 1}, {"a": {"$near": 1}}, {"a": b"1"}, {"a": 1, None: 2}])
async def test_a_bad_filter_is_refused_by_search_and_count(index: Index, filters: dict[str, Any]) -> None:
    with pytest.raises(errors.BadRequest):
        await index.search(SearchRequest(("x",), ME, filters=filters))
    with pytest.raises(errors.BadRequest):
        await index.count(ME, filters)


async def test_tenants_never_see_each_other(index: Index) -> None:
    await add(index, doc("a", "我们的电梯"))
    await add(index, doc("a", "他们的电梯"), doc("b", "他们的食堂"), principal=OTHER)
    for principal, mine, theirs in ((ME, "我们的电梯", "他们的电梯"), (OTHER, "他们的电梯", "我们的电梯")):
        result = await index.search(SearchRequest((theirs,), principal))
        texts = {p.text for p in (await index.read([d["chunk_id"] for d in result.docs], principal)).values()}
        assert mine in texts
        assert theirs not in texts
    assert [await index.count(p, None) for p in (ME, OTHER)] == [1, 2]
    assert [len(list(index.catalogue.visible(p))) for p in (ME, OTHER)] == [1, 2]
    assert not await index.delete("b", ME)
    chunk_ids = [d["chunk_id"] for d in (await index.search(SearchRequest(("电梯",), OTHER))).docs]
    assert await index.read(chunk_ids, ME) == {}
    assert not np.any(await index.statistics.similarities(["电梯"], chunk_ids, ME))


async def test_the_size_counts_current_chunks_of_every_tenant(index: Index) -> None:
    await add(index, doc("a", "Lifts are repaired by the owner."))
    await add(index, doc("a", "Lifts are repaired by the manager."))
    await add(index, doc("a", "Stairs."), doc("b", "Doors."), principal=OTHER)
    size = await index.size()
    assert (size.documents, size.chunks) == (3, 3)


async def test_changes_that_wait_for_one_another_are_counted(tmp_path: Path) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    class Slow(HashEmbedder):
        async def passages(self, texts: Sequence[str]) -> Vectors:
            begun.set()
            await go_on.wait()
            return await super().passages(texts)

    index = await Index.open(tmp_path, Slow())
    working = asyncio.create_task(add(index, doc("a", "Lifts.")))
    await begun.wait()
    waiting = [asyncio.create_task(add(index, doc(name, "Stairs."))) for name in "bc"]
    await asyncio.sleep(0)
    assert index.waiting == 2
    go_on.set()
    await asyncio.gather(working, *waiting)
    assert index.waiting == 0
    await index.close()


async def test_a_tenants_generation_rises_with_its_own_changes_alone(index: Index) -> None:
    await add(index, doc("a", "Lifts."))
    before = [index.generation_of(who) for who in (ME, OTHER)]
    await add(index, doc("a", "Stairs."), principal=OTHER)
    await add(index, doc("b", "Doors."), principal=OTHER)
    await index.delete("b", OTHER)
    assert [index.generation_of(who) for who in (ME, OTHER)] == [before[0], 3]
    assert index.generation == before[0] + 3


async def test_a_document_with_groups_is_for_those_who_share_one(index: Index) -> None:
    await add(index, doc("open", "电梯公告"), doc("secret", "电梯工资", groups=frozenset({"hr", "boss"})))
    secret = [d["chunk_id"] for d in (await index.search(SearchRequest(("工资",), HR))).docs if d["doc_id"] == "secret"]
    assert (sorted(await found(index, "电梯", HR)), await found(index, "电梯", ME)) == (["open", "secret"], ["open"])
    assert [await index.count(p, None) for p in (HR, ME)] == [2, 1]
    assert [len(list(index.catalogue.visible(p))) for p in (HR, ME)] == [2, 1]
    assert (len(await index.read(secret, HR)), len(await index.read(secret, ME))) == (1, 0)
    assert np.any(await index.statistics.similarities(["工资"], secret, HR))
    assert not np.any(await index.statistics.similarities(["工资"], secret, ME))


async def test_access_withdrawn_holds_for_old_versions_and_cached_results_too(index: Index) -> None:
    await add(index, doc("a", "电梯旧版"))
    await add(index, doc("a", "电梯新版"))
    chunk_ids = [d["chunk_id"] for d in (await index.search(SearchRequest(("电梯",), ME))).docs]
    assert await add(index, doc("a", "电梯新版", groups=frozenset({"hr"}))) == ["updated"]
    assert await found(index, "电梯") == []
    assert await index.read(chunk_ids, ME) == {}


async def test_the_same_question_twice_is_answered_from_the_cache(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    await add(index, doc("a", "电梯"))
    first = await index.search(SearchRequest(("电梯", "费用", "电梯", " "), ME))
    second = await index.search(SearchRequest(("电梯", "费用", "维修"), ME))
    assert (first.searches, second.searches) == (2, 1)
    assert [report["cached"] for report in second.lanes] == [True, True, True, True, False, False]
    assert embedder.embedded[-3:] == ["电梯", "费用", "维修"]
    for other in (
        SearchRequest(("电梯",), HR),
        SearchRequest(("电梯",), ME, depth=7),
        SearchRequest(("电梯",), ME, {"a": 1}),
    ):
        assert (await index.search(other)).searches == 1
    await add(index, doc("b", "电梯"))
    assert (await index.search(SearchRequest(("电梯",), ME))).searches == 1
    await index.close()


class Broken(HashEmbedder):
    """Embeds passages; fails on queries as told."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error

    async def queries(self, texts: Sequence[str]) -> Vectors:
        if self.error:
            raise self.error
        return await super().queries(texts)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (errors.Unavailable("The endpoint is away."), "The endpoint is away."),
        (RuntimeError("http://host/path?key=secret"), "The vector lane failed."),
    ],
)
async def test_a_lane_that_raises_is_reported_and_the_other_answers(
    tmp_path: Path, error: Exception, sentence: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Case A9."""
    caplog.set_level(logging.CRITICAL)
    embedder = Broken(error)
    index = await Index.open(tmp_path, embedder)
    await add(index, doc("a", "电梯维修"))
    result = await index.search(SearchRequest(("电梯",), ME))
    assert [d["doc_id"] for d in result.docs] == ["a"]
    assert [(report["lane"], report["error"]) for report in result.lanes] == [("keyword", None), ("vector", sentence)]
    embedder.error = None
    again = await index.search(SearchRequest(("电梯",), ME))
    assert ([report["error"] for report in again.lanes], again.searches) == ([None, None], 1)
    await index.close()


async def test_similarities_without_a_working_embedder_are_none(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, Broken(errors.Unavailable("Away.")))
    assert await index.statistics.similarities(["a"], [], ME) is None
    await index.close()


async def test_without_an_embedder_the_vector_lane_says_that_it_is_off(keyword_only: Index) -> None:
    await add(keyword_only, doc("a", "电梯"))
    result = await keyword_only.search(SearchRequest(("电梯",), ME))
    assert [d["doc_id"] for d in result.docs] == ["a"]
    assert result.lanes[1]["error"] == "The vector lane is off: there is no embedder."
    assert keyword_only.embedder_name is None
    assert await keyword_only.statistics.similarities(["电梯"], [], ME) is None
    assert (result.searches, (await keyword_only.search(SearchRequest(("电梯",), ME))).searches) == (1, 0)


async def test_documents_added_without_an_embedder_get_their_vectors_later(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, None)
    await add(index, doc("a", "电梯"), doc("b", "食堂"))
    await index.close()
    index = await Index.open(tmp_path, HashEmbedder())
    assert (await found(index, "食堂", lanes=("vector",)))[0] == "b"
    await index.close()


async def test_an_off_topic_question_has_no_high_score(index: Index) -> None:
    """Case A40: one document, a question about something else; no score is stretched to 1."""
    await add(index, doc("a", "员工每年有十五天年假。"))
    result = await index.search(SearchRequest(("酸面包怎么发酵？",), ME))
    assert all(found["score"] < 0.05 for found in result.docs)
    assert [lane["lane"] for found in result.docs for lane in found["lanes"]] == ["vector"]
    assert all(abs(lane["score"]) < 0.9 for found in result.docs for lane in found["lanes"])


async def test_reopened_it_answers_the_same_without_embedding_and_keeps_no_key(tmp_path: Path) -> None:
    """Case A28."""
    index = await Index.open(tmp_path, HashEmbedder())
    await add(index, *(doc(str(n), f"电梯 {n} 号维修") for n in range(20)))
    request = SearchRequest(("电梯 7 号",), ME)
    before = await index.search(request)
    await index.close()
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    assert embedder.embedded == []
    after = await index.search(request)
    assert [d["chunk_id"] for d in after.docs] == [d["chunk_id"] for d in before.docs]
    assert embedder.embedded == ["电梯 7 号"]
    await index.close()


@pytest.mark.parametrize(("name", "dimension"), [("other", 32), ("hash", 16)])
async def test_another_embedder_is_refused_with_a_remedy(tmp_path: Path, name: str, dimension: int) -> None:
    index = await Index.open(tmp_path, HashEmbedder())
    await add(index, doc("a", "电梯"))
    await index.close()
    with pytest.raises(errors.Conflict, match="gapseek reindex"):
        await Index.open(tmp_path, HashEmbedder(name, dimension))
    index = await Index.open(tmp_path, HashEmbedder())
    assert await found(index, "电梯") == ["a"]
    await index.close()


async def test_an_embedder_that_fails_leaves_the_old_version_answering(tmp_path: Path) -> None:
    class Failing(HashEmbedder):
        async def passages(self, texts: Sequence[str]) -> Vectors:
            if any("坏" in text for text in texts):
                raise errors.Unavailable("The endpoint is away.")
            return await super().passages(texts)

    index = await Index.open(tmp_path, Failing())
    await add(index, doc("a", "电梯旧版"))
    outcomes = await index.add([doc("a", "电梯坏版"), doc("b", "电梯另一")], ME)
    assert outcomes == [
        Outcome("a", "failed", sentence="The endpoint is away.", code="unavailable"),
        Outcome("b", "added", 1),
    ]
    texts = {
        p.text
        for p in (
            await index.read([d["chunk_id"] for d in (await index.search(SearchRequest(("电梯",), ME))).docs], ME)
        ).values()
    }
    assert texts == {"电梯旧版", "电梯另一"}
    await index.close()


async def test_a_cancelled_add_keeps_what_was_done_and_shows_it(tmp_path: Path) -> None:
    class Slow(HashEmbedder):
        async def passages(self, texts: Sequence[str]) -> Vectors:
            if any("慢" in text for text in texts):
                await asyncio.sleep(60)
            return await super().passages(texts)

    index = await Index.open(tmp_path, Slow())
    first = asyncio.Event()
    a_batch_of_its_own = doc("a", "电梯" * 40_000)
    adding = asyncio.create_task(index.add([a_batch_of_its_own, doc("b", "慢")], ME, lambda *_: first.set()))
    await first.wait()
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    assert set(await found(index, "电梯")) == {"a"}
    assert [d.doc_id for d in index.catalogue.visible(ME)] == ["a"]
    await index.close()


async def test_everything_that_leaves_is_plain_data(index: Index) -> None:
    """Case A1."""
    await add(index, doc("a", "电梯", metadata={"year": 2024}), doc("b", "食堂"))
    result = await index.search(SearchRequest(("电梯",), ME))
    plain = [*result.docs, *result.lanes]
    assert json.loads(json.dumps(plain)) == plain
    scores = [lane["score"] for found in result.docs for lane in found["lanes"]] + [d["score"] for d in result.docs]
    assert {type(score) for score in scores} == {float}
    assert type(await index.count(ME, {"year": 2024})) is int
    assert type(index.statistics.idf("电梯", ME)) is float


async def test_idf_is_lucenes_and_largest_for_what_no_chunk_has(index: Index) -> None:
    await add(index, doc("a", "电梯 电梯"), doc("b", "电梯 费用"))
    assert index.statistics.idf("费用", ME) == pytest.approx(math.log((2 - 1 + 0.5) / (1 + 0.5) + 1))
    assert 0 <= index.statistics.idf("电梯", ME) < index.statistics.idf("费用", ME) < index.statistics.idf("无", ME)
    assert index.statistics.tokens("电梯") == ["电梯"]


async def test_similarities_are_cosines_of_queries_and_chunks(index: Index) -> None:
    await add(index, doc("a", "电梯维修"), doc("b", "食堂"))
    chunk_ids = [d["chunk_id"] for d in (await index.search(SearchRequest(("电梯",), ME))).docs]
    cosines = await index.statistics.similarities(["电梯维修", " "], [*chunk_ids, "unknown"], ME)
    assert cosines is not None
    assert cosines.shape == (2, 3)
    assert cosines[0, 0] > cosines[0, 1]
    assert not cosines[1].any()
    assert not cosines[:, 2].any()


async def test_a_doc_id_cannot_be_faked_by_metadata(index: Index) -> None:
    await add(index, doc("a", "x", metadata={"doc_id": "b", "title": "forged"}))
    assert [await index.count(ME, {"doc_id": name}) for name in ("a", "b")] == [1, 0]


async def test_metadata_comes_back_unchanged(index: Index, tmp_path: Path) -> None:
    """Case A26: null, empty, nested, 0 and false, from reading, in filters, and after a restart."""
    given: dict[str, Any] = {
        "a": None,
        "tags": [],
        "more": {},
        "page": 0,
        "draft": False,
        "deep": {"x": [1, {"y": None}]},
        "s": "",
    }
    await add(index, doc("a", "电梯", metadata=given), doc("b", "电梯二"))
    for again in range(2):
        hits = (await index.search(SearchRequest(("电梯",), ME, filters={"doc_id": "a"}))).docs
        passage = (await index.read([hits[0]["chunk_id"]], ME))[hits[0]["chunk_id"]]
        assert passage.metadata == given
        assert json.dumps(passage.metadata) == json.dumps(given)
        for filters in (
            {"page": 0},
            {"draft": False},
            {"s": ""},
            {"page": {"$exists": True}},
            {"a": {"$exists": True}},
        ):
            assert await found(index, "电梯", filters=filters) == ["a"]
        assert await index.count(ME, {"page": False}) == await index.count(ME, {"draft": 0}) == 0
        if not again:
            await index.close()
            index = await Index.open(tmp_path, HashEmbedder())
    await index.close()


async def test_a_document_of_thousands_of_chunks(tmp_path: Path) -> None:
    """Case A29: more than one batch of anything."""
    index = await Index.open(tmp_path, HashEmbedder(dimension=4))
    text = "\n\n".join(f"第{n}条　编号 E{n}。" for n in range(1, 6_101))
    assert [outcome.chunks for outcome in await index.add([doc("long", text), doc("b", "短")], ME)] == [6_100, 1]
    for again in range(2):
        assert await index.count(ME, None) == 6_101
        result = await index.search(SearchRequest(("E6099",), ME, lanes=("keyword",)))
        passages = await index.read([result.docs[0]["chunk_id"]], ME)
        assert "E6099" in passages[result.docs[0]["chunk_id"]].text
        everything = SearchRequest(("编号",), ME, lanes=("vector",), depth=7_000, top_k=1)
        assert (await index.search(everything)).lanes[0]["hits"] == 6_101
        if not again:
            await index.close()
            index = await Index.open(tmp_path, HashEmbedder(dimension=4))
    assert await index.delete("long", ME)
    assert await found(index, "E6099") == ["b"]
    await index.close()


async def test_a_cancelled_delete_is_not_served_any_more(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    await add(index, doc("a", "绝密电梯"), doc("b", "别的"))
    begun, delete = threading.Event(), index._documents.delete

    def slow(tenant: str, doc_id: str) -> int | None:
        begun.set()
        time.sleep(0.05)
        return delete(tenant, doc_id)

    monkeypatch.setattr(index._documents, "delete", slow)
    deleting = asyncio.create_task(index.delete("a", ME))
    await asyncio.to_thread(begun.wait)
    deleting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await deleting
    assert await found(index, "绝密") == ["b"]
    assert await index.count(ME, None) == 1


async def test_caches_are_counted(index: Index) -> None:
    await add(index, doc("a", "电梯"))
    nothing = {"hits": 0, "misses": 0, "size": 0}
    assert index.cache_counts() == {"queries": nothing, "results": nothing, "masks": nothing}
    for _ in range(2):
        await index.search(SearchRequest(("电梯", "食堂"), ME))
    assert index.cache_counts() == {
        "queries": {"hits": 2, "misses": 2, "size": 2},
        "results": {"hits": 4, "misses": 4, "size": 4},
        "masks": {"hits": 1, "misses": 1, "size": 1},
    }
    await add(index, doc("b", "食堂"))
    assert (await index.search(SearchRequest(("电梯", "食堂"), ME))).searches == 2
    counts = index.cache_counts()
    assert (counts["queries"]["hits"], counts["results"]["misses"], counts["masks"]["misses"]) == (4, 8, 2)


async def test_a_lost_index_folder_is_rebuilt_from_the_store(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, HashEmbedder())
    await add(index, doc("a", "电梯"), doc("b", "食堂"))
    await index.close()
    shutil.rmtree(tmp_path / "index")
    embedder = HashEmbedder()
    index = await Index.open(tmp_path, embedder)
    assert (await found(index, "食堂", lanes=("vector",)))[0] == "b"
    assert embedder.embedded == ["食堂"]
    await index.close()
