"""Search every query in every lane, or as its gap's strategy says, and keep the fused best."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Final

from langgraph.runtime import Runtime

from context.retrieval import SearchRequest, SearchResult
from context.run import Context
from evidence import Strategy
from nodes.bounded import all_of, look_up
from policy import budget
from policy.joining import joined
from policy.lanes import weight
from policy.modes import asked as asked_by
from policy.modes import way_of
from policy.strategy import ALONE
from state import Doc, LaneRank, Query, RAGState, TriedQuery, Update

WAITS: Final = 3
"""Of the time before the answer a third for the embedder, one for the reranker, one to judge what came without them."""
DEEPER: Final = 2


async def retrieve(state: RAGState, runtime: Runtime[Context]) -> Update:
    """The asker's own question is one of every round's queries; after its first round it costs nothing."""
    context = runtime.context
    own: Query = {"text": state["standalone"], "gap": None}
    new = state["rewritten_queries"] if state["tried"] else [own, *state["rewritten_queries"]]
    strategies = _changed(state)
    asked = _together([own, *state["rewritten_queries"]], strategies)
    requests = [_request(state, context, queries, strategy) for strategy, queries in asked]
    results = await look_up(state, context, all_of(map(context.retriever.search, requests)))
    if results is None:
        return _cut_off(state, new, strategies)
    docs = joined([result.docs for result in results], max(request.top_k for request in requests))
    return {
        "docs": docs,
        "lanes": [report for result in results for report in result.lanes],
        "tried": [*state["tried"], *(_tried(query, state, docs, strategies) for query in new)],
        "spent": budget.settle(state["spent"], searches=_searches(results, [queries for _, queries in asked], new)),
    }


def _changed(state: RAGState) -> dict[str, Strategy]:
    """By sub-question the strategies that change how it is searched; threads of before there were any have none.

    A replay may come from rounds that had some into a mode without, whose search is what the mode says."""
    if not way_of(state).rounds:
        return {}
    return {s["sub_question_id"]: s for s in state.get("strategies", ()) if s["change"] not in (None, "closed")}


def _together(queries: list[Query], strategies: dict[str, Strategy]) -> list[tuple[Strategy | None, list[Query]]]:
    """The queries by what their gap's search changes; first those without a change, the asker's own among them."""

    def gap(query: Query) -> str:
        return query["gap"] if query["gap"] in strategies else ""

    rows = groupby(sorted(queries, key=gap), key=gap)
    return [(strategies.get(name), list(of)) for name, of in rows]


def _request(state: RAGState, context: Context, queries: list[Query], strategy: Strategy | None) -> SearchRequest:
    way = way_of(state)
    by_mode = asked_by(way, configured=context.retriever.reranker_name is not None)
    usual = SearchRequest(
        queries=tuple(query["text"] for query in queries),
        principal=context.principal,
        filters=state["filters"],
        narrowed=state.get("proposed_filter") if way.plans else None,  # absent from threads of before it was there
        lanes=by_mode["lanes"],
        weights=by_mode["weights"] or {lane: weight(state["dials"], lane) for lane in way.lanes},
        top_k=min(way.top_k or state["dials"]["top_k"], state["dials"]["top_k"]),
        rerank=by_mode["rerank"],
        reranker=by_mode["reranker"],
        rerank_depth=by_mode["rerank_depth"],
        timeout_s=budget.time_for_call(state, context.clock()) / WAITS,
    )
    change = strategy["change"] if strategy else None
    if change == "deeper":
        return replace(usual, depth=DEEPER * usual.depth, top_k=DEEPER * usual.top_k)
    if change in ALONE:
        return replace(usual, lanes=(ALONE[change],))
    if strategy and change == "inside":
        inside = {**(state["filters"] or {}), "doc_id": {"$in": strategy["documents"]}}
        return replace(usual, filters=inside, narrowed=None)
    return usual


def _searches(results: list[SearchResult], asked: list[list[Query]], new: list[Query]) -> int:
    """One a query, and none has been counted before: a lane that asks an old one anew does not count it twice."""
    fresh = [sum(query in new for query in queries) for queries in asked]
    return sum(min(result.searches, most) for result, most in zip(results, fresh, strict=True))


def _cut_off(state: RAGState, new: list[Query], strategies: dict[str, Strategy]) -> Update:
    """A search that the deadline ended: it brought nothing, no lane is known to be lost, and it counts as made."""
    return {
        "lanes": [],
        "tried": [*state["tried"], *(_tried(query, state, [], strategies) for query in new)],
        "spent": budget.settle(state["spent"], searches=len(new)),
    }


def _tried(query: Query, state: RAGState, docs: list[Doc], strategies: dict[str, Strategy]) -> TriedQuery:
    """The query with how many of its kept chunks are new: neither among the last hits nor graded before."""
    seen = {doc["chunk_id"] for doc in state["docs"]} | {pair["chunk_id"] for pair in state["graded"]}
    found = [doc for doc in docs if any(_is_of(query, lane) for lane in doc["lanes"])]
    new_hits = sum(doc["chunk_id"] not in seen for doc in found)
    tried: TriedQuery = {
        "text": query["text"],
        "gap": query["gap"],
        "round": state["retry_count"],
        "new_hits": new_hits,
    }
    change = strategies[query["gap"]]["change"] if query["gap"] in strategies else None
    return {**tried, "strategy": change} if change else tried


def _is_of(query: Query, place: LaneRank) -> bool:
    """Whether the query found it: a reranker finds nothing."""
    return place["query"] == query["text"] and place["lane"] != "rerank"
