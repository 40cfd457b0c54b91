"""Does this question need the knowledge base, and is there anything in it that the asker may see?"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import replace
from typing import Final

from langgraph.runtime import Runtime

from context.reasoning import Reasoned, Route, RouteRequest
from context.run import Context
from nodes.ahead import may_write_ahead, with_first_plan
from nodes.bounded import GRADING, Thought, look_up, said_before, think
from policy.decide import decide
from policy.direct import may_be_direct
from policy.modes import way_of, whole
from policy.standalone import kept
from state import RAGState, Update
from text.language import language

_log = logging.getLogger(__name__)

NOT_ASKED: Final = "not asked: no time or no budget for it"
LOOKED_UP: Final = "looked up all the same, said to need none: "
"""Before the reason of a reasoner whose word was not enough."""
NOT_COUNTED: Final = -1
"""In `visible_chunks`: it is not known whether there are any."""


async def route(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Decide whether to look anything up, and make a follow-up stand alone."""
    context = runtime.context
    asked: RAGState = {**state, "language": language(state["question"])}
    deciding = _decision(asked, context)
    ahead = may_write_ahead(asked, context)
    thought, plan = await with_first_plan(asked, context, deciding) if ahead else (await deciding, Update())
    route = thought.value or Route(need_retrieval=True, reason=NOT_ASKED, standalone=state["question"])
    visible = await _visible(state, context) if route.need_retrieval else 0
    # Comparing what two texts say is work of the processor, and the first time loads a dictionary.
    standalone = await asyncio.to_thread(kept, state["question"], route.standalone, state["history"])
    update: Update = {
        **plan,
        "language": asked["language"],
        "standalone": standalone,
        "need_retrieval": route.need_retrieval,
        "route_reason": route.reason,
        "visible_chunks": NOT_COUNTED if visible is None else visible,
        "spent": thought.spent,
    }
    out_of_time = thought.lost == "deadline" or visible is None
    after: RAGState = {**state, **update}
    reason = decide(after, state["dials"], context.clock(), at="route", lost="deadline" if out_of_time else None)
    if not reason and not way_of(state).plans:
        update["sub_questions"] = whole(standalone)
    return {**update, "stop_reason": reason}


async def _decision(state: RAGState, context: Context) -> Thought[Route]:
    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[Route]]:
        return context.reasoner.route(
            RouteRequest(
                question=state["question"],
                language=state["language"],
                history=tuple(state["history"]),
                timeout_s=timeout_s,
                max_calls=max_calls,
                principal=context.principal,
            )
        )

    thought = await think(state, context, (state["question"], *said_before(state)), ask, keep=GRADING)
    return replace(thought, value=_guarded(thought.value, state)) if thought.value else thought


def _guarded(route: Route, state: RAGState) -> Route:
    """The route; a question that may hold a fact is looked up, whatever the reasoner says."""
    if route.need_retrieval or may_be_direct(state["question"], state["history"]):
        return route
    _log.warning("a question was to be answered without looking anything up; it is looked up all the same")
    return replace(route, need_retrieval=True, reason=f"{LOOKED_UP}{route.reason}")


async def _visible(state: RAGState, context: Context) -> int | None:
    """Chunks that this asker may see, None when nobody could say in time."""
    return await look_up(state, context, context.retriever.count(context.principal, state["filters"]))
