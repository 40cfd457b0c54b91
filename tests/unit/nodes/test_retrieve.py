from __future__ import annotations

import asyncio
from typing import Any

import pytest

from context.retrieval import SearchRequest, SearchResult
from errors import BadRequest
from evidence import Change
from nodes.retrieve import retrieve
from state import Query, RAGState
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import runtime, state

PASSAGES = [passage("维修费由物业承担"), passage("影像保存期限")]


async def test_the_askers_question_is_always_searched_and_comes_first() -> None:
    retriever = MemoryRetriever(PASSAGES)
    asked = state("维修费谁承担", rewritten_queries=[{"text": "影像", "gap": "q1"}])
    update = await retrieve(asked, runtime(retriever=retriever))
    assert retriever.requests[0].queries == ("维修费谁承担", "影像")
    assert [t["text"] for t in update["tried"]] == ["维修费谁承担", "影像"]
    assert [t["new_hits"] for t in update["tried"]] == [1, 1]
    assert update["spent"]["searches"] == 2


async def test_in_later_rounds_the_askers_question_costs_nothing_and_is_not_tried_anew() -> None:
    retriever = MemoryRetriever(PASSAGES)
    asked = state("维修费谁承担")
    first = await retrieve(asked, runtime(retriever=retriever))
    later = {**asked, **first, "rewritten_queries": [{"text": "影像", "gap": "q1"}], "retry_count": 1}
    update = await retrieve(later, runtime(retriever=retriever))  # type: ignore[arg-type]  # a spread TypedDict
    assert update["spent"]["searches"] == 2
    assert [(t["text"], t["round"], t["new_hits"]) for t in update["tried"][1:]] == [("影像", 1, 1)]


async def test_a_failed_lane_is_data() -> None:
    update = await retrieve(state("维修费"), runtime(retriever=MemoryRetriever(PASSAGES, failing=["维修费"])))
    assert update["docs"] == []
    assert [lane["error"] for lane in update["lanes"]] == ["the keyword lane failed"]


async def test_the_proposed_filter_goes_beside_the_callers_own() -> None:
    retriever = MemoryRetriever(PASSAGES)
    asked = state("维修费", filters={"kind": "办法"}, proposed_filter={"year": 2024})
    await retrieve(asked, runtime(retriever=retriever))
    assert [(r.filters, r.narrowed) for r in retriever.requests] == [({"kind": "办法"}, {"year": 2024})]


async def test_a_state_kept_before_filters_were_proposed_still_runs() -> None:
    retriever = MemoryRetriever(PASSAGES)
    old = {name: value for name, value in state("维修费").items() if name != "proposed_filter"}
    await retrieve(old, runtime(retriever=retriever))  # type: ignore[arg-type]  # that is the point
    assert retriever.requests[0].narrowed is None


async def test_the_deployments_reranker_is_asked_where_there_is_one() -> None:
    retriever = MemoryRetriever(PASSAGES)
    await retrieve(state("维修费"), runtime(retriever=retriever))
    retriever.reranker_name = "bge"
    await retrieve(state("维修费"), runtime(retriever=retriever))
    assert [request.rerank for request in retriever.requests] == [False, True]


async def test_embedder_and_reranker_leave_the_last_third_of_the_time_before_the_answer() -> None:
    retriever = MemoryRetriever(PASSAGES)
    asked = state("维修费")
    await retrieve(asked, runtime(retriever=retriever, now=asked["started_at"] + 3.75))
    assert [request.timeout_s for request in retriever.requests] == [10.0]


def changed(change: Change, **more: Any) -> RAGState:
    """A later round with one query of a gap that is searched as ever, and one of a gap whose strategy changed."""
    queries: list[Query] = [{"text": "影像", "gap": "q1"}, {"text": "费用", "gap": "q2"}]
    strategy = {"sub_question_id": "q2", "best": 0.0, "barren": 1, "change": change, "documents": ["fees"]}
    tried = [{"text": "维修费谁承担", "gap": None, "round": 0, "new_hits": 1}]
    fields: dict[str, Any] = {"tried": tried, "retry_count": 1, "rewritten_queries": queries, "strategies": [strategy]}
    return state("维修费谁承担", **{**fields, **more})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("deeper", {"depth": 100, "top_k": 60}),
        ("keyword_alone", {"lanes": ("keyword",)}),
        ("vector_alone", {"lanes": ("vector",)}),
        ("inside", {"filters": {"kind": "办法", "doc_id": {"$in": ["fees"]}}, "narrowed": None}),
    ],
)
async def test_a_gaps_queries_are_searched_as_its_strategy_says_and_no_others(
    change: Change, expected: dict[str, Any]
) -> None:
    retriever = MemoryRetriever(PASSAGES)
    asked = changed(change, filters={"kind": "办法"}, proposed_filter={"year": 2024})
    await retrieve(asked, runtime(retriever=retriever))
    usual, other = retriever.requests
    assert (usual.queries, other.queries) == (("维修费谁承担", "影像"), ("费用",))
    assert (usual.depth, usual.top_k, usual.filters, usual.narrowed) == (50, 30, {"kind": "办法"}, {"year": 2024})
    different = {name for name in vars(usual) if getattr(usual, name) != getattr(other, name)}
    assert {name: getattr(other, name) for name in different} == {"queries": ("费用",), **expected}


async def test_what_both_searches_found_is_one_list_and_tried_says_how() -> None:
    retriever = MemoryRetriever(PASSAGES)
    update = await retrieve(changed("keyword_alone"), runtime(retriever=retriever))
    assert len({doc["chunk_id"] for doc in update["docs"]}) == len(update["docs"]) == 2
    assert [(t["text"], t.get("strategy")) for t in update["tried"][1:]] == [("影像", None), ("费用", "keyword_alone")]
    assert [report["query"] for report in update["lanes"]] == ["维修费谁承担", "影像", "费用"]
    assert update["spent"]["searches"] == 2


async def test_a_query_edited_into_a_closed_gap_is_searched_as_ever() -> None:
    retriever = MemoryRetriever(PASSAGES)
    update = await retrieve(changed("closed"), runtime(retriever=retriever))
    assert [request.queries for request in retriever.requests] == [("维修费谁承担", "影像", "费用")]
    assert all("strategy" not in tried for tried in update["tried"])


async def test_when_one_search_fails_no_other_goes_on() -> None:
    ended: list[str] = []

    class Failing(MemoryRetriever):
        async def search(self, request: SearchRequest) -> SearchResult:
            if request.queries == ("费用",):
                raise BadRequest("This filter cannot be used.")
            try:
                await asyncio.Event().wait()
            finally:
                ended.extend(request.queries)
            raise AssertionError("nobody sets it")

    with pytest.raises(BadRequest):
        await retrieve(changed("deeper"), runtime(retriever=Failing(PASSAGES)))
    assert ended == ["维修费谁承担", "影像"]


async def test_a_mode_says_what_is_asked_of_the_retriever_and_a_plan_what_lies_beside_it() -> None:
    for mode, narrowed in (("bm25", None), ("self_query", {"year": 2024})):
        retriever = MemoryRetriever(PASSAGES)
        await retrieve(state("维修费", mode=mode, proposed_filter={"year": 2024}), runtime(retriever=retriever))
        assert [request.narrowed for request in retriever.requests] == [narrowed]


async def test_what_rounds_changed_of_a_search_is_not_carried_into_one_pass() -> None:
    changed = [{"sub_question_id": "q1", "best": 0.0, "barren": 1, "change": "vector_alone", "documents": []}]
    retriever = MemoryRetriever(PASSAGES)
    asked = state("维修费", mode="bm25", strategies=changed, rewritten_queries=[{"text": "影像", "gap": "q1"}])
    update = await retrieve(asked, runtime(retriever=retriever))
    assert [request.lanes for request in retriever.requests] == [("keyword",)]
    assert all("strategy" not in tried for tried in update["tried"])
