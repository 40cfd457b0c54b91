"""Search every query in every lane, and keep the fused best."""

from __future__ import annotations

from typing import Final

from langgraph.runtime import Runtime

from context import Context, SearchRequest
from nodes.bounded import look_up
from policy import budget
from policy.lanes import LANES, weight
from state import Doc, LaneRank, Query, RAGState, TriedQuery, Update

WAITS: Final = 3
"""Of the time before the answer a third for the embedder, one for the reranker, one to judge what came without them."""


async def retrieve(state: RAGState, runtime: Runtime[Context]) -> Update:
    """The asker's own question is one of every round's queries; after its first round it costs nothing."""
    context = runtime.context
    own: Query = {"text": state["standalone"], "gap": None}
    queries = [own, *state["rewritten_queries"]]
    request = SearchRequest(
        queries=tuple(query["text"] for query in queries),
        principal=context.principal,
        filters=state["filters"],
        narrowed=state.get("proposed_filter"),  # absent from threads of before it was there
        top_k=state["dials"]["top_k"],
        weights={lane: weight(state["dials"], lane) for lane in LANES},
        rerank=context.retriever.reranker_name is not None,
        timeout_s=budget.time_for_call(state, context.clock()) / WAITS,
    )
    new = queries[1:] if state["tried"] else queries
    result = await look_up(state, context, context.retriever.search(request))
    if result is None:
        return _cut_off(state, new)
    return {
        "docs": list(result.docs),
        "lanes": list(result.lanes),
        "tried": [*state["tried"], *(_tried(query, state, result.docs) for query in new)],
        # One a query, and none has been counted before: a lane that asks an old one anew does not count it twice.
        "spent": budget.settle(state["spent"], searches=min(result.searches, len(new))),
    }


def _cut_off(state: RAGState, new: list[Query]) -> Update:
    """A search that the deadline ended: it brought nothing, no lane is known to be lost, and it counts as made."""
    return {
        "lanes": [],
        "tried": [*state["tried"], *(_tried(query, state, ()) for query in new)],
        "spent": budget.settle(state["spent"], searches=len(new)),
    }


def _tried(query: Query, state: RAGState, docs: tuple[Doc, ...]) -> TriedQuery:
    """The query with how many of its kept chunks are new: neither among the last hits nor graded before."""
    seen = {doc["chunk_id"] for doc in state["docs"]} | {pair["chunk_id"] for pair in state["graded"]}
    found = [doc for doc in docs if any(_is_of(query, lane) for lane in doc["lanes"])]
    new_hits = sum(doc["chunk_id"] not in seen for doc in found)
    return {"text": query["text"], "gap": query["gap"], "round": state["retry_count"], "new_hits": new_hits}


def _is_of(query: Query, place: LaneRank) -> bool:
    """Whether the query found it: a reranker finds nothing."""
    return place["query"] == query["text"] and place["lane"] != "rerank"
