"""One tool call a step: the model chooses, the ledger decides when there is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Final, cast

from langgraph.runtime import Runtime

from context.reasoning import Reasoned
from context.run import Context
from context.tools import ToolChoice, ToolRequest, ToolStep
from nodes.bounded import GRADING, Thought, think
from nodes.tools.run import Ran, run_tool
from nodes.transcript import transcript
from policy import budget, remarks
from policy.account import NOTHING, Account, Cost
from policy.decide import decide
from policy.inquiry import after_call, calls_of, goes_in_circles, inquiry_of, unsettled, warns
from policy.repeats import Repeats
from state import Inquiry, Query, RAGState, ToolCall, Update

ONE_CALL: Final = Cost(tool_calls=1)


async def agent(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Choose a tool and carry it out; or end the search, by choice or for want of a budget."""
    context = runtime.context
    begun = _begun(state)
    asked: RAGState = {**state, **begun}
    if Account(asked["spent"], asked["dials"]).lacks(ONE_CALL, NOTHING):
        return _decided({**begun, **_ended(asked, "call_budget")}, asked, context)
    steps = await transcript(asked, context)
    thought = await _choice(asked, context, steps)
    asked = {**asked, "spent": thought.spent}
    if thought.value is None:
        lost = {"spent": thought.spent, **_ended(asked, thought.lost or "deadline")}
        return _decided({**begun, **cast(Update, lost)}, asked, context)
    ran = await _run(thought.value, asked, context)
    counted: Update = {
        "spent": budget.settle(ran.update.get("spent", asked["spent"]), tool_calls=1),
        "tool_calls": [*calls_of(asked), ran.call],
    }
    after: RAGState = {**asked, **ran.update, **counted}
    return _decided({**begun, **ran.update, **counted, "inquiry": after_call(after)}, asked, context)


def _begun(state: RAGState) -> Update:
    """Sent back by evaluate, a new round begins."""
    if inquiry_of(state)["ended"] is None:
        return {}
    return {"retry_count": state["retry_count"] + 1, "inquiry": {**inquiry_of(state), "barren": 0, "ended": None}}


def _ended(state: RAGState, why: str) -> Update:
    return {"inquiry": cast(Inquiry, {**inquiry_of(state), "ended": why})}


def _decided(update: Update, state: RAGState, context: Context) -> Update:
    """The update with the reason to stop, and with the search ended where there is one.

    One that finished leaves the reason to evaluate.
    """
    after: RAGState = {**state, **update}
    if inquiry_of(after)["ended"] == "finished":
        return {**update, "stop_reason": None}
    reason = decide(after, after["dials"], context.clock(), at="agent")
    if reason in ("call_budget", "token_budget", "deadline") and inquiry_of(after)["ended"] is None:
        update = {**update, **_ended(after, reason)}
    return {**update, "stop_reason": reason}


async def _choice(state: RAGState, context: Context, steps: tuple[ToolStep, ...]) -> Thought[ToolChoice]:
    """What the model chooses. What grading and the answer cost is left to them."""

    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[ToolChoice]]:
        return context.reasoner.choose_tool(
            ToolRequest(
                question=state["standalone"],
                language=state["language"],
                sub_questions=tuple(state["sub_questions"]),
                open=tuple(unsettled(state)),
                gaps=tuple(state["gaps"]),
                conflicts=tuple(state["conflicts"]),
                ledger=tuple(state["ledger"]),
                suggested=tuple(_suggested(state)),
                steps=steps,
                calls_left=state["dials"]["max_tool_calls"] - state["spent"]["tool_calls"],
                searches_left=budget.searches_left(state),
                principal=context.principal,
                timeout_s=timeout_s,
                max_calls=max_calls,
            )
        )

    texts = (state["standalone"], *(q["text"] for q in state["sub_questions"]), *_shown(steps))
    return await think(state, context, texts, ask, keep=GRADING)


def _shown(steps: tuple[ToolStep, ...]) -> Iterator[str]:
    """All that a prompt shows of the steps, so that its cost is reserved."""
    for step in steps:
        yield f"{dict(step.arguments)} {step.remark}"
        yield from (f"{p.title}\n{p.heading}\n{p.text}" for p in (place.passage for place in step.places))


def _suggested(state: RAGState) -> list[Query]:
    """The asker's question and the queries of the rewrite that nobody has searched yet."""
    own: Query = {"text": state["standalone"], "gap": None}
    repeats = Repeats(tried["text"] for tried in state["tried"])
    return [query for query in [*state["rewritten_queries"], own] if repeats.adds(query["text"])]


async def _run(choice: ToolChoice, state: RAGState, context: Context) -> Ran:
    """The call that is kept; a search in circles is not carried out."""
    if choice.tool == "search" and goes_in_circles(state):
        return Ran(_spoken("search", "refused", remarks.STOPPED[state["language"]], state), {})
    ran = await run_tool(choice, state, context)
    if ran.call["tool"] == "finish" and ran.call["outcome"] in ("done", "repeated"):
        return Ran(await asyncio.to_thread(_finish, state), {})
    return Ran(_warned(ran.call, state), ran.update)


def _finish(state: RAGState) -> ToolCall:
    """Accepted, unless something is open and it was not told so yet."""
    still_open = unsettled(state)
    if still_open and "open" not in inquiry_of(state)["told"] and not state["retry_count"]:
        return _spoken("finish", "refused", remarks.still_open(still_open, state["language"]), state)
    return _spoken("finish", "done", "", state)


def _spoken(tool: str, outcome: str, remark: str, state: RAGState) -> ToolCall:
    call = {"tool": tool, "arguments": {}, "round": state["retry_count"], "outcome": outcome, "hits": []}
    return cast(ToolCall, {**call, "remark": remark})


def _warned(call: ToolCall, state: RAGState) -> ToolCall:
    """The call with a warning, where it is the search after which searching goes in circles."""
    most = state["dials"]["max_barren_rounds"]
    if not warns(call, inquiry_of(state), most):
        return call
    warning = remarks.BARREN[state["language"]].format(count=most)
    return {**call, "remark": " ".join(filter(None, [call["remark"], warning]))}
