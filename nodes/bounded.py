"""Calls of a node to its collaborators, kept within what the ask may still spend: seconds, model calls and tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from context.reasoning import Reasoned, Usage
from context.run import Context
from errors import Unavailable
from evidence import Repairs
from policy import budget
from policy.account import NOTHING, Account, Cost
from policy.decide import tells_a_part
from state import RAGState, Spent, StopReason

T = TypeVar("T")
S = TypeVar("S")

SLACK_S: Final = 0.05
"""Two clocks that should end a call at the same moment differ by less."""
CALLS_AT_MOST: Final = 4
"""Model calls that one decision may take, such as another form of output when an endpoint refuses the first."""

GRADING: Final = Cost(model_calls=1, tokens=4_000)
"""What route and rewrite leave to grading, without which nothing is established: 9 passages of 500 characters."""


@dataclass(frozen=True)
class Thought(Generic[T]):
    """A reasoner's decision, or None and the stop reason that it was lost to; the counters after it, what it cost."""

    value: T | None
    spent: Spent
    lost: StopReason | None = None
    made: tuple[Usage, ...] = ()
    repairs: Repairs | None = None


async def within(seconds: float, call: Awaitable[T]) -> T | None:
    """What a collaborator says, None when it did not come back in time."""
    try:
        async with asyncio.timeout(seconds) as limit:
            return await call
    except TimeoutError:
        if not limit.expired():
            raise
        return None


async def both(first: Awaitable[T], second: Awaitable[S]) -> tuple[T, S]:
    """What two collaborators say that are asked at the same time; when one fails, the other is ended too."""
    beside = asyncio.ensure_future(second)
    try:
        return await first, await beside
    finally:
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)


async def all_of(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What collaborators say that are asked at the same time; when one fails, the others are ended."""
    asked = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*asked))
    finally:
        for one in asked:
            one.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


async def look_up(state: RAGState, context: Context, call: Awaitable[T], *, share: float = 1.0) -> T | None:
    """What the retriever says, None when it takes more than this share of the time before the answer."""
    return await within(share * budget.time_for_call(state, context.clock()), call)


async def think(
    state: RAGState,
    context: Context,
    texts: Iterable[str],
    ask: Callable[[float, int], Awaitable[Reasoned[T]]],
    *,
    keep: Cost = NOTHING,
) -> Thought[T]:
    """Let the reasoner decide, within the ask's budgets less the answer's share and `keep`.

    `texts` are the data of the prompt; `ask` is given the seconds and the model calls that it may take. A reasoner that
    is down raises `errors.Unavailable` unless a part of the answer is established: then that part is still answered.
    """
    account = Account(state["spent"], state["dials"], held_beside(context))
    cost = call_cost(context, texts)
    kept = answer_share(state, context) + (keep if context.reasoner.calls_models else NOTHING)
    calls = account.affordable(cost, CALLS_AT_MOST, kept)
    if calls == 0:
        return Thought(None, state["spent"], account.lacks(cost, kept))
    account, seconds = account.reserve(cost.times(calls)), budget.time_for_call(state, context.clock())
    if seconds <= 0:
        return Thought(None, state["spent"], "deadline")
    lost: StopReason = "deadline"
    failed: tuple[Usage, ...] = ()
    try:
        # A little longer than it was given: a reasoner that notices the end by itself says what it has cost.
        decision = await within(seconds + SLACK_S, ask(seconds, calls))
    except Unavailable as error:
        failed = error.made
        if _in_time(state, context):
            if not tells_a_part(state):
                raise
            lost = "source_unavailable"
        decision = None
    lone = unreported(context, cost, received=0, output=budget.DECISION_TOKENS)
    made = decision.usage if decision else failed or lone
    spent = account.settle(cost.times(calls), made).spent
    if decision is None:
        return Thought(None, spent, lost, made)
    return Thought(decision.value, spent, made=made, repairs=decision.repairs)


def call_cost(context: Context, texts: Iterable[str], *, output: int = budget.DECISION_TOKENS) -> Cost:
    """What one call with these texts is expected to cost, nothing for a reasoner that calls no model."""
    if not context.reasoner.calls_models:
        return NOTHING
    return Cost(model_calls=1, tokens=budget.expected_tokens(texts, output=output))


def held_beside(context: Context) -> Cost:
    """What runs beside the graph may still cost, or has cost and is not counted yet."""
    return Cost(model_calls=context.beside.calls, tokens=context.beside.tokens) if context.beside else NOTHING


def said_before(state: RAGState) -> list[str]:
    """What a prompt may show of the conversation before this question."""
    return [turn[side] for turn in state["history"] for side in ("question", "answer")]


def answer_share(state: RAGState, context: Context) -> Cost:
    """What every call before the answer leaves to it."""
    if not context.reasoner.calls_models:
        return NOTHING
    return Cost(model_calls=1, tokens=budget.generate_tokens(state["dials"]))


def unreported(context: Context, cost: Cost, *, received: int, output: int) -> tuple[Usage, ...]:
    """The usage of a call that ended without saying what it cost: of `cost`, in which `output` tokens were expected,
    the prompt, and the tokens that were received; both as estimates."""
    if cost.model_calls == 0:
        return ()
    return (Usage(context.reasoner.name, cost.tokens - output, received, estimated=True),)


def _in_time(state: RAGState, context: Context) -> bool:
    """Whether calls before the answer have time left: an adapter may notice the end of it before we do."""
    return budget.time_for_call(state, context.clock()) > SLACK_S
