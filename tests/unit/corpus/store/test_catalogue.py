"""Pages of the list, and one document with all of it, cut to what its reader may see."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import errors
from context.retrieval import Principal
from corpus.access import may_see
from corpus.correction import Correction
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.store.catalogue import _VISIBLE

ME = Principal()
HR = Principal(groups=frozenset({"hr"}))
GROUPS = st.sets(st.sampled_from(["hr", "HR", "经理", '"', "[]", "a,b", ""]), max_size=4)


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path, None)
    yield index
    await index.close()


def test_sql_and_python_agree_on_who_may_see() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:

        @given(GROUPS, GROUPS)
        def agree(of_document: set[str], of_reader: set[str]) -> None:
            row = {"groups_": json.dumps(sorted(of_document), ensure_ascii=False, separators=(",", ":"))}
            asked = {"tenant": "t", "groups": json.dumps(sorted(of_reader), ensure_ascii=False)}
            sql = f"WITH documents (tenant, groups) AS (VALUES ('t', :groups_)) SELECT {_VISIBLE} FROM documents"  # noqa: S608
            found = connection.execute(sql, asked | row).fetchone()[0]
            assert bool(found) is may_see(Principal("t", frozenset(of_reader)), of_document)

        agree()


async def test_pages_follow_each_other_and_leave_out_what_is_not_visible(index: Index) -> None:
    await index.add([NewDocument(f"甲/{n:02}", f"第 {n} 份。") for n in range(7)], ME)
    await index.add([NewDocument("甲/secret", "薪酬。", groups=frozenset({"hr"})), NewDocument("乙", "别的。")], ME)
    pages, after = [], None
    while True:
        page = index.catalogue.page(ME, prefix="甲/", after=after, limit=3)
        pages.append([document.doc_id for document in page.documents])
        assert page.total == 7
        after = page.next
        if after is None:
            break
    assert pages == [["甲/00", "甲/01", "甲/02"], ["甲/03", "甲/04", "甲/05"], ["甲/06"]]
    assert index.catalogue.page(HR, prefix="甲/").total == 8
    assert index.catalogue.page(ME, prefix="甲/_").total == index.catalogue.page(ME, prefix="%").total == 0
    counts = [await index.counts(principal) for principal in (ME, HR)]
    assert [(count.documents, count.chunks) for count in counts] == [(8, 8), (9, 9)]


async def test_a_document_is_shown_with_its_versions_and_a_page_of_chunks(index: Index) -> None:
    text = "\n\n".join(f"第{n}条　第 {n} 项规定。" for n in range(1, 8))
    await index.add([NewDocument("a", "旧的规定。", "旧标题", {"year": 2020})], ME)
    await index.add([NewDocument("a", text, "新标题", {"year": 2021}, extracted={"kind": "law", "year": 1})], ME)
    await index.correct("a", ME, Correction(set={"city": "上海"}))
    detail = index.catalogue.detail("a", ME, offset=5, limit=10)
    assert (detail.title, detail.chunks, detail.metadata) == (
        "新标题",
        7,
        {"kind": "law", "year": 2021, "city": "上海"},
    )
    assert (detail.layers.extracted, detail.layers.given) == ({"kind": "law", "year": 1}, {"year": 2021})
    assert [(v.title, v.chunks, v.current) for v in detail.versions] == [("新标题", 7, True), ("旧标题", 1, False)]
    assert [v.created is not None for v in detail.versions] == [True, True]
    shown = detail.shown
    assert (shown.version, shown.total, shown.offset) == (detail.version, 7, 5)
    assert [chunk.text for chunk in shown.chunks] == ["第6条　第 6 项规定。", "第7条　第 7 项规定。"]
    assert shown.chunks[0].metadata == {"article": "第6条"}
    old = index.catalogue.detail("a", ME, detail.versions[1].version)
    assert [chunk.text for chunk in old.shown.chunks] == ["旧的规定。"]
    for version in ("nothing", ""):
        with pytest.raises(errors.NotFound):
            index.catalogue.detail("a", ME, version or "-")
    with pytest.raises(errors.NotFound):
        index.catalogue.detail("b", ME)


async def test_an_article_set_by_hand_goes_over_that_of_each_chunk(index: Index) -> None:
    await index.add([NewDocument("a", "第一条　规定。")], ME)
    assert await index.count(ME, {"article": "第一条"}) == 1
    await index.correct("a", ME, Correction(set={"article": "附则"}))
    assert [await index.count(ME, {"article": name}) for name in ("第一条", "附则")] == [0, 1]
