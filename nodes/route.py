"""Does this question need the knowledge base, and is there anything in it that the asker may see?"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from langgraph.runtime import Runtime

from context import Context, Reasoned, Route, RouteRequest
from nodes.bounded import GRADING, look_up, said_before, think
from policy.decide import decide
from state import RAGState, Update
from text.language import language

NOT_ASKED: Final = "not asked: no time or no budget for it"
NOT_COUNTED: Final = -1
"""In `visible_chunks`: it is not known whether there are any."""


async def route(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Decide whether to look anything up, and make a follow-up stand alone."""
    context = runtime.context
    spoken = language(state["question"])

    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[Route]]:
        history = tuple(state["history"])
        return context.reasoner.route(RouteRequest(state["question"], spoken, history, timeout_s, max_calls))

    texts = (state["question"], *said_before(state))
    thought = await think(state, context, texts, ask, keep=GRADING)
    route = thought.value or Route(need_retrieval=True, reason=NOT_ASKED, standalone=state["question"])
    visible = await _visible(state, context) if route.need_retrieval else 0
    update: Update = {
        "language": spoken,
        "standalone": route.standalone,
        "need_retrieval": route.need_retrieval,
        "route_reason": route.reason,
        "visible_chunks": NOT_COUNTED if visible is None else visible,
        "spent": thought.spent,
    }
    out_of_time = thought.lost == "deadline" or visible is None
    after: RAGState = {**state, **update}
    reason = decide(after, state["dials"], context.clock(), at="route", lost="deadline" if out_of_time else None)
    return {**update, "stop_reason": reason}


async def _visible(state: RAGState, context: Context) -> int | None:
    """Chunks that this asker may see, None when nobody could say in time."""
    return await look_up(state, context, context.retriever.count(context.principal, state["filters"]))
