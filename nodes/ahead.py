"""The first rewrite at the same time as the route, for a question without a history: a call that may be wasted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace

from context.reasoning import Rewrite, Route
from context.run import Context
from nodes.bounded import CALLS_AT_MOST, GRADING, Thought, answer_share, call_cost, held_beside, unreported
from nodes.plan import first_plan
from nodes.rewrite import plan
from policy import budget
from policy.account import Account
from policy.modes import way_of
from state import RAGState, Update


def may_write_ahead(state: RAGState, context: Context) -> bool:
    """Whether dial and mode say so, nothing must be made to stand alone first, and the budget holds both calls at
    once."""
    cost = call_cost(context, (state["question"],)).times(2 * CALLS_AT_MOST)
    account = Account(state["spent"], state["dials"], held_beside(context))
    wanted = state["dials"].get("rewrite_beside_route", False) and context.reasoner.calls_models
    wanted = wanted and way_of(state).plans and not state["history"]
    return wanted and account.lacks(cost, answer_share(state, context) + GRADING) is None


async def with_first_plan(
    state: RAGState, context: Context, deciding: Awaitable[Thought[Route]]
) -> tuple[Thought[Route], Update]:
    """The route, and the plan that was made meanwhile; for small talk it is cut short, and counted all the same."""
    writing = asyncio.ensure_future(plan(state, context))
    try:
        routed = await deciding
        if routed.value and not routed.value.need_retrieval:
            return _counted(routed, _unwanted(writing, state, context)), {}
        written = await writing
    finally:
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    update = await asyncio.to_thread(first_plan, written.value, state) if written.value else {}
    return _counted(routed, written), update


def _unwanted(writing: asyncio.Future[Thought[Rewrite]], state: RAGState, context: Context) -> Thought[Rewrite]:
    if writing.done() and not writing.cancelled() and writing.exception() is None:
        return writing.result()
    cost = call_cost(context, (state["question"],))
    return Thought(None, state["spent"], made=unreported(context, cost, received=0, output=budget.DECISION_TOKENS))


def _counted(routed: Thought[Route], written: Thought[Rewrite]) -> Thought[Route]:
    return replace(routed, spent=budget.settle(routed.spent, written.made))
