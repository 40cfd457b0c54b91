"""A whole offline ask beside a graph that does nothing: what the steps cost, and what the work in them does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from context import Principal
from evals.bench.timing import interleaved_async
from evals.questions import questions
from graph.wiring import Services, open_services
from runs.ask import Ask, ask
from runs.engine import Durability, Engine, config, new_id
from runs.stream import answered
from settings import Endpoint, Settings

WARM_UP: Final = 2


class Nothing(TypedDict):
    """A state of one field."""

    count: int


NoOp = CompiledStateGraph[Nothing, None, Nothing, Nothing]


async def run(rounds: int, say: Callable[[str], None]) -> None:
    """Print p50 and p95 of an ask and of as many empty steps with the same saver and durability, and the ratio."""
    none = Endpoint()
    with TemporaryDirectory(prefix="gapseek-bench-") as data:
        settings = Settings(chat=none, small_chat=none, embeddings=none, data=Path(data))
        async with open_services(settings) as services:
            for number in (2, 0):
                await _compare(services, questions()[number]["question"], rounds, say)


async def _compare(services: Services, question: str, rounds: int, say: Callable[[str], None]) -> None:
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
    say(f"whole ask, offline, caches warm: {question[:20]}… ({steps} steps, {reply['retry_count'] + 1} rounds)")
    say(f"  gapseek     {ours}")
    say(f"  empty graph {theirs}   ratio of p50 {ours.p50 / theirs.p50:.1f}")


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
