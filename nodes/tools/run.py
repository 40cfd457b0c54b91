"""One tool call from its name to what is written down: checked, answered from memory, or carried out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from context.run import Context
from context.tools import ToolChoice
from nodes.tools.arguments import TOOLS, Arguments, checked, clean
from nodes.tools.find import find
from nodes.tools.note import note
from nodes.tools.open import open_at
from nodes.tools.result import Result, said
from nodes.tools.search import search
from nodes.tools.summarize import summarize
from policy import remarks
from policy.inquiry import asked_before, calls_of
from state import RAGState, ToolCall, Update

Tool = Callable[[Any, RAGState, Context], Awaitable[Result]]

RUN: Final[dict[str, Tool]] = {
    "search": search,
    "find": find,
    "open": open_at,
    "summarize": summarize,
    "note": note,
}
"""What carries a tool out; to finish is the node's own."""
LONGEST_NAME: Final = 40


@dataclass(frozen=True)
class Ran:
    """A call as it is kept, and what else it changes."""

    call: ToolCall
    update: Update


async def run_tool(choice: ToolChoice, state: RAGState, context: Context) -> Ran:
    """Whatever was chosen, this ends in a call that is kept: a wrong one says why in one sentence."""
    choice = replace(choice, tool=clean(choice.tool))
    language, tool = state["language"], TOOLS.get(choice.tool)
    if tool is None:
        names = ", ".join(TOOLS)
        named = choice.tool[:LONGEST_NAME]
        return _kept(choice.tool, {}, said("wrong", remarks.NO_TOOL, language, name=named, tools=names), state)
    arguments = checked(tool, choice.arguments)
    if isinstance(arguments, str):
        return _kept(choice.tool, {}, said("wrong", remarks.WRONG, language, fault=arguments), state)
    return await _carried_out(choice.tool, arguments, state, context)


async def _carried_out(tool: str, arguments: Arguments, state: RAGState, context: Context) -> Ran:
    kept = arguments.kept()
    before = asked_before(calls_of(state), tool, kept)
    if before is not None:
        again = Result("repeated", tuple(before["hits"]), remarks.REPEATED[state["language"]])
        return _kept(tool, kept, again, state)
    if tool not in RUN:
        return _kept(tool, kept, Result("done"), state)
    result = await RUN[tool](arguments, state, context)
    return _kept(tool, {} if result.outcome == "wrong" else kept, result, state)


def _kept(tool: str, arguments: dict[str, Any], result: Result, state: RAGState) -> Ran:
    call: ToolCall = {
        "tool": tool[:LONGEST_NAME],
        "arguments": arguments,
        "round": state["retry_count"],
        "outcome": result.outcome,
        "hits": list(result.hits),
        "remark": result.remark,
    }
    return Ran(call, cast(Update, dict(result.update)))
