"""`search(query, filter?)`: the index, as a round searches it, with one query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.retrieval import SearchRequest, SearchResult
from context.run import Context
from errors import BadRequest
from nodes.bounded import look_up
from nodes.tools.arguments import Search
from nodes.tools.reach import both_filters
from nodes.tools.result import Result, said, whole
from policy import budget, remarks
from policy.joining import joined
from policy.lanes import weight
from policy.modes import asked, way_of
from state import Doc, LaneReport, RAGState, TriedQuery, Update

SHOWN: Final = 5
"""Hits that the agent is shown; all are kept for grading."""
KEPT: Final = 3
"""So many times what one search keeps is kept of a turn's searches together."""
WAITS: Final = 3
"""As in a round: a part of the time for the embedder, one for the reranker, one for the rest."""


async def search(arguments: Search, state: RAGState, context: Context) -> Result:
    """The best hits. A filter that cannot be used is told, and searches nothing."""
    language = state["language"]
    if budget.searches_left(state) == 0:
        return said("refused", remarks.NO_SEARCHES, language)
    try:
        found = await look_up(state, context, context.retriever.search(_request(arguments, state, context)))
    except BadRequest as error:
        return Result("wrong", remark=error.sentence)
    if found is None:
        lost = budget.settle(state["spent"], searches=1)
        return Result("unavailable", remark=remarks.LATE[language], update={"spent": lost})
    update = _update(arguments.query, found, state)
    if found.lanes and all(lane["error"] for lane in found.lanes):
        return Result("unavailable", remark=remarks.NO_LANE[language], update=update)
    ids = [doc["chunk_id"] for doc in found.docs[:SHOWN]]
    read = await look_up(state, context, context.retriever.read(ids, context.principal))
    if not read:
        return Result("nothing", remark=remarks.NOTHING[language], update=update)
    return Result("done", whole(read.values()), update=update)


def _request(arguments: Search, state: RAGState, context: Context) -> SearchRequest:
    way = way_of(state)
    by_mode = asked(way, configured=context.retriever.reranker_name is not None)
    return SearchRequest(
        queries=(arguments.query,),
        principal=context.principal,
        filters=both_filters(state["filters"], arguments.filter),
        narrowed=None if arguments.filter else state.get("proposed_filter"),
        lanes=by_mode["lanes"],
        weights=by_mode["weights"] or {lane: weight(state["dials"], lane) for lane in way.lanes},
        top_k=state["dials"]["top_k"],
        rerank=by_mode["rerank"],
        timeout_s=budget.time_for_call(state, context.clock()) / WAITS,
    )


def _update(query: str, found: SearchResult, state: RAGState) -> Update:
    """A cached search is free, and a search never costs more than one."""
    seen = {doc["chunk_id"] for doc in state["docs"]} | {pair["chunk_id"] for pair in state["graded"]}
    tried: TriedQuery = {
        "text": query,
        "gap": None,
        "round": state["retry_count"],
        "new_hits": sum(doc["chunk_id"] not in seen for doc in found.docs),
    }
    return {
        "docs": _together(found.docs, state),
        "lanes": _lanes(found.lanes, state),
        "tried": [*state["tried"], tried],
        "spent": budget.settle(state["spent"], searches=min(1, found.searches)),
    }


def _together(docs: Sequence[Doc], state: RAGState) -> list[Doc]:
    """All that the turn's searches found, best first."""
    results = [list(docs), state["docs"]] if state["docs"] else [list(docs)]
    return joined(results, KEPT * state["dials"]["top_k"])


def _lanes(reports: Sequence[LaneReport], state: RAGState) -> list[LaneReport]:
    """The last reports; lanes that are all lost now take nothing from what they brought before."""
    lost = bool(reports) and all(report["error"] for report in reports)
    return state["lanes"] if lost and state["docs"] else list(reports)
