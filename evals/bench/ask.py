"""A whole offline ask beside a graph that does nothing: what the steps cost, and what the work in them does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from context.retrieval import Principal
from evals.bench.timing import Times, interleaved_async
from evals.questions import questions
from graph.wiring import Services, open_services
from runs.ask import Ask, ask
from runs.engine import Durability, Engine, config, new_id
from runs.stream import answered
from settings import Endpoint, Settings

WARM_UP: Final = 2
TYPICAL_STEPS: Final = 8
"""Of an ask with one retry."""

Row = dict[str, Any]


class Nothing(TypedDict):
    """A state of one field."""

    count: int


NoOp = CompiledStateGraph[Nothing, None, Nothing, Nothing]


async def run(rounds: int) -> list[Row]:
    """p50 and p95 of an ask and of as many empty steps with the same saver and durability, and the ratio."""
    none = Endpoint()
    with TemporaryDirectory(prefix="gapseek-bench-") as data:
        settings = Settings(chat=none, small_chat=none, embeddings=none, data=Path(data))
        async with open_services(settings) as services:
            first = await _first_time(services)
            typical = [await _compare(services, questions()[number]["question"], rounds) for number in (2, 0)]
            return [first, *typical]


async def _first_time(services: Services) -> Row:
    """Each of the twenty questions once, nothing cached: its texts are embedded and searched for."""
    engine = Engine(services.graph, services.saver, services.context_for)
    rest = iter(questions())
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: answered(ask(engine, Principal(), Ask(next(rest)["question"]))),
        partial(_run_empty, _no_op(TYPICAL_STEPS, services), engine.durability),
    ]
    ours, theirs = await interleaved_async(calls, len(questions()))
    return _row(f"{len(questions())} questions once each", TYPICAL_STEPS, ours, theirs)


async def _compare(services: Services, question: str, rounds: int) -> Row:
    engine = Engine(services.graph, services.saver, services.context_for)
    reply = await answered(ask(engine, Principal(), Ask(question)))
    steps = len(reply["timings"]["nodes"])
    empty = _no_op(steps, services)
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: answered(ask(engine, Principal(), Ask(question))),
        partial(_run_empty, empty, engine.durability),
    ]
    await interleaved_async(calls, WARM_UP)
    ours, theirs = await interleaved_async(calls, rounds)
    return _row(f"caches warm, {reply['retry_count'] + 1} rounds", steps, ours, theirs)


def _row(what: str, steps: int, ours: Times, theirs: Times) -> Row:
    return {
        "what": what,
        "steps": steps,
        "gapseek": ours.milliseconds(),
        "empty_graph": theirs.milliseconds(),
        "ratio": round(ours.p50 / theirs.p50, 2),
    }


def _no_op(steps: int, services: Services) -> NoOp:
    graph = StateGraph(Nothing)
    names = [f"step{number}" for number in range(steps)]
    for name in names:
        graph.add_node(name, _count)
    for before, after in pairwise([START, *names, END]):
        graph.add_edge(before, after)
    return graph.compile(checkpointer=services.saver)


async def _count(state: Nothing) -> Nothing:
    return {"count": state["count"] + 1}


async def _run_empty(graph: NoOp, durability: Durability) -> None:
    stream = graph.astream({"count": 0}, config(new_id()), stream_mode=["tasks", "custom"], durability=durability)
    async for _ in stream:
        pass
