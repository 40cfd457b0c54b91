"""One run of the real graph over scripted collaborators, in time that only their waiting moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from context.reasoning import Reasoner
from context.retrieval import Passage, Principal, Retriever, SearchRequest, SearchResult
from context.run import Context
from graph.build import build
from graph.turn import begin, recorded, recursion_limit
from state import Dials, Mode, RAGState
from tests.fakes.retriever import MemoryRetriever
from tests.fakes.run import dials
from tests.fakes.time import in_virtual_time

GRAPH = build()
HANG = 1e6
"""Seconds: longer than any deadline."""


@dataclass
class Ran:
    """A finished run: its last state, what it said piece by piece, the nodes it went through, and how long it took."""

    state: RAGState = field(default_factory=lambda: cast(RAGState, {}))
    said: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    seconds: float = 0.0


async def run(
    reasoner: Reasoner,
    retriever: Retriever,
    limits: Dials,
    clock: Callable[[], float],
    *,
    question: str = "who pays the fee",
    filters: dict[str, Any] | None = None,
    reply: dict[str, Any] | None = None,
    mode: Mode = "loop",
) -> Ran:
    """Ask the machine one question; with a `reply`, one that a person is asked and so replies to. Raises what a node
    raises."""
    context = Context(reasoner, retriever, clock, Principal(), limits)
    start = begin(
        question,
        mode=mode,
        filters=filters,
        dials=limits,
        started_at=clock(),
        recorded=recorded(context),
        handoff=reply is not None,
    )
    graph = GRAPH if reply is None else build(InMemorySaver())
    ran = Ran()
    turns: list[Any] = [{"history": [], **start}, *([] if reply is None else [Command(resume=reply)])]
    for given in turns:
        async for part in graph.astream(
            given,
            {"recursion_limit": recursion_limit(limits), "configurable": {"thread_id": "t"}},
            context=context,
            stream_mode=["values", "updates", "custom"],
            version="v2",
        ):
            if part["type"] == "custom":
                ran.said.append(part["data"]["text"])
            elif part["type"] == "updates":
                ran.nodes.extend(name for name in part["data"] if name != "__interrupt__")
            else:
                ran.state = cast(RAGState, part["data"])
    ran.seconds = clock() - start["started_at"]
    return ran


def ask(
    reasoner: Reasoner,
    retriever: Retriever,
    question: str = "who pays the fee",
    reply: dict[str, Any] | None = None,
    mode: Mode = "loop",
    **changed: Any,
) -> Ran:
    """`run` in virtual time, with some dials changed."""
    limits = dials(**changed)
    return in_virtual_time(
        lambda clock: run(reasoner, retriever, limits, clock, question=question, reply=reply, mode=mode)
    )


async def hang(*_: Any) -> None:
    """Does not come back."""
    await asyncio.sleep(HANG)


class Hanging(MemoryRetriever):
    """A retriever of which one door hangs from its nth use on."""

    def __init__(self, passages: Sequence[Passage], door: str, use: int = 1) -> None:
        super().__init__(passages)
        self._door, self._left = door, use

    async def search(self, request: SearchRequest) -> SearchResult:
        await self._pass("search")
        return await super().search(request)

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        await self._pass("read")
        return await super().read(chunk_ids, principal)

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        await self._pass("count")
        return await super().count(principal, filters)

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        await self._pass("fields")
        return await super().fields(principal)

    async def _pass(self, door: str) -> None:
        self._left -= door == self._door
        if door == self._door and self._left <= 0:
            await hang()
