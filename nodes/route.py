"""Does this question need the knowledge base, and is there anything in it that the asker may see?"""

from __future__ import annotations

from langgraph.runtime import Runtime

from context import Context, RouteRequest
from policy import budget
from policy.decide import decide
from state import RAGState, Update
from text.language import language


async def route(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Decide whether to look anything up, and make a follow-up stand alone."""
    context = runtime.context
    spoken = language(state["question"])
    decision = await context.reasoner.route(
        RouteRequest(
            question=state["question"],
            language=spoken,
            history=tuple(state["history"]),
            timeout_s=budget.time_for_call(state, context.clock()),
        )
    )
    route = decision.value
    visible = await context.retriever.count(context.principal, state["filters"]) if route.need_retrieval else 0
    update: Update = {
        "language": spoken,
        "standalone": route.standalone,
        "need_retrieval": route.need_retrieval,
        "route_reason": route.reason,
        "visible_chunks": visible,
        "spent": budget.settle(state["spent"], decision.usage),
    }
    after: RAGState = {**state, **update}
    return {**update, "stop_reason": decide(after, state["dials"], context.clock(), at="route")}
