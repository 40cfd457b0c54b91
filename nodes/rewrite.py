"""What must the answer establish, and what should be searched for next?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from context.reasoning import Reasoned, Rewrite, RewriteRequest
from context.retrieval import Passage
from context.run import Context
from evidence import Gap
from nodes.bounded import GRADING, Thought, both, look_up, said_before, think
from nodes.plan import first_plan, later_plan
from policy.conflicts import worth_a_round
from policy.decide import decide
from policy.proposal import propose
from policy.strategy import after_round, still_open
from state import RAGState, Update

FOUND_SHOWN: Final = 9
"""Passages that a later rewrite is shown, so that it can use a document's own words: all that one round grades."""

FIELDS_SHARE: Final = 0.25
"""Of the time before the answer: a search without a proposed filter is better than none."""


async def rewrite(state: RAGState, runtime: Runtime[Context]) -> Update:
    """First round: the checklist and queries from several angles. Later: queries aimed at the named gaps."""
    return await (_later if state["tried"] else _first)(state, runtime.context)


async def _first(state: RAGState, context: Context) -> Update:
    """Without a rewrite the question itself is searched and judged; one made beside the route is not repeated."""
    thought, proposed_filter = await both(_first_rewrite(state, context), _proposed_filter(state, context))
    # Telling names and words apart is work of the processor, and the first time loads a dictionary.
    update: Update = {
        "retry_count": 0,
        "spent": thought.spent,
        "proposed_filter": proposed_filter,
    }
    if not state["sub_questions"]:
        update.update(await asyncio.to_thread(first_plan, thought.value or Rewrite((), ()), state))
    after: RAGState = {**state, **update}
    lost = thought.lost if thought.lost == "deadline" else None
    return {**update, "stop_reason": decide(after, state["dials"], context.clock(), at="rewrite", lost=lost)}


async def _first_rewrite(state: RAGState, context: Context) -> Thought[Rewrite]:
    return Thought(None, state["spent"]) if state["sub_questions"] else await plan(state, context)


async def _later(state: RAGState, context: Context) -> Update:
    """Without a rewrite, or without a gap that may still be searched for, nothing is left to do."""
    strategies = after_round(state)
    gaps = worth_a_round(still_open(state["gaps"], strategies), state["conflicts"], state["retry_count"])
    found = await _nearest(state, context) if gaps else ()
    thought = await plan(state, context, gaps, found) if gaps else Thought(Rewrite((), ()), state["spent"])
    update: Update = {
        "retry_count": state["retry_count"] + 1,
        "spent": thought.spent,
        "strategies": strategies,
        **await asyncio.to_thread(later_plan, thought.value or Rewrite((), ()), state, gaps, found),
    }
    after: RAGState = {**state, **update}
    reason = decide(after, state["dials"], context.clock(), at="rewrite", lost=thought.lost)
    return {**update, "stop_reason": reason}


async def plan(
    state: RAGState,
    context: Context,
    gaps: Sequence[Gap] = (),
    found: tuple[Passage, ...] = (),
) -> Thought[Rewrite]:
    """Let the reasoner write queries, for these gaps or, without any, the first."""

    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[Rewrite]]:
        return context.reasoner.rewrite(
            RewriteRequest(
                question=state["standalone"],
                language=state["language"],
                history=tuple(state["history"]),
                sub_questions=tuple(state["sub_questions"]),
                gaps=tuple(gaps),
                tried=tuple(state["tried"]),
                ledger=tuple(state["ledger"]),
                found=found,
                principal=context.principal,
                timeout_s=timeout_s,
                max_calls=max_calls,
                conflicts=tuple(state["conflicts"]),
            )
        )

    texts = (state["standalone"], *said_before(state), *(passage.text for passage in found))
    return await think(state, context, texts, ask, keep=GRADING)


async def _proposed_filter(state: RAGState, context: Context) -> dict[str, Any] | None:
    """What the question names of fields that the caller's own filter leaves free; nothing when they come too late."""
    known = await look_up(state, context, context.retriever.fields(context.principal), share=FIELDS_SHARE) or {}
    taken = state["filters"] or {}
    free = {field: values for field, values in known.items() if field not in taken}
    return await asyncio.to_thread(propose, state["standalone"], free)


async def _nearest(state: RAGState, context: Context) -> tuple[Passage, ...]:
    """The ledger's passages, best grade first, then those found nearest."""
    evidence = [e for entry in state["ledger"] for e in entry["evidence"]]
    evidence.sort(key=lambda e: -e["grade"]["score"])
    hits = [e["chunk_id"] for e in evidence] + [doc["chunk_id"] for doc in state["docs"]]
    ids = list(dict.fromkeys(hits))[:FOUND_SHOWN]
    return tuple((await look_up(state, context, context.retriever.read(ids, context.principal)) or {}).values())
