from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
from errors import Unavailable
from evals.measure import ALL, BM25, HYBRID, WAYS, LookAlikes, look_alikes, measured, searches, with_filter
from evals.sets import Case, QuestionSet

DOCUMENTS = (
    NewDocument("bj", "北京电梯维修费用由业主承担", metadata={"city": "北京"}),
    NewDocument("sh", "上海电梯维修费用由物业承担", metadata={"city": "上海"}),
    NewDocument("leave", "年假五天须提前申请"),
)
SHANGHAI = {"city": "上海"}
CASES = (
    Case("q1", "电梯维修费用由谁承担？北京", ("bj",), kind="single"),
    Case("q2", "电梯维修费用由谁承担？北京", ("sh",), SHANGHAI, kind="city", look_alikes=("bj",)),
    Case("q3", "天然酵种面包", ("leave",), kind="single"),
)
ASKED = QuestionSet("three", DOCUMENTS, CASES, lambda passage: passage.doc_id, traps=(CASES[1],))


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    opened = await Index.open(tmp_path, None)
    await opened.add(DOCUMENTS, Principal())
    yield opened
    await opened.close()


async def test_the_first_row_is_of_all_questions_and_the_others_of_their_kinds(index: Index) -> None:
    rows = await measured(index, ASKED, BM25)
    assert [(row.kind, row.questions) for row in rows] == [(ALL, 3), ("city", 1), ("single", 2)]
    assert rows[0].recall_5 == pytest.approx(2 / 3)
    assert rows[0].missed == 1
    assert (rows[1].recall_5, rows[1].mrr_10) == (1.0, 0.5)
    assert (rows[2].recall_5, rows[2].mrr_10) == (0.5, 0.5)


async def test_under_their_filter_only_questions_that_have_one_are_asked(index: Index) -> None:
    (row,) = await measured(index, ASKED, BM25, filtered=True)
    assert (row.kind, row.filtered, row.questions, row.mrr_10) == (ALL, True, 1, 1.0)


async def test_a_set_without_filters_has_no_row_under_them(index: Index) -> None:
    plain = QuestionSet("plain", DOCUMENTS, CASES[:1], ASKED.label)
    assert await measured(index, plain, BM25, filtered=True) == []
    assert await look_alikes(index, plain, BM25) is None


async def test_look_alikes_are_found_without_the_filter_only(index: Index) -> None:
    assert await look_alikes(index, ASKED, BM25) == LookAlikes(1, without_filter=1.0, with_filter=0.0)


async def test_a_lane_that_fails_is_no_result(index: Index) -> None:
    with pytest.raises(Unavailable, match="vector lane is off"):
        await measured(index, ASKED, HYBRID)


async def test_every_search_is_told(index: Index) -> None:
    told: list[None] = []
    for filtered in (False, True):
        await measured(index, ASKED, BM25, filtered=filtered, tick=lambda: told.append(None))
    await look_alikes(index, ASKED, BM25, lambda: told.append(None))
    assert len(told) == searches(ASKED, [BM25]) == 3 + len(with_filter(ASKED)) + 2


def test_the_ways_begin_with_the_lanes() -> None:
    assert [way.name for way in WAYS] == ["bm25", "vector", "hybrid", "hybrid_rerank"]
