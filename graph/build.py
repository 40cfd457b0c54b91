"""The state machine: six nodes and the edges between them, as the README draws them; a mode chooses among the edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from context.run import Context
from graph.aside import with_aside_ended
from graph.routes import after_evaluate, after_rewrite, after_route
from nodes.evaluate import evaluate
from nodes.generate import generate
from nodes.handoff import handoff
from nodes.retrieve import retrieve
from nodes.rewrite import rewrite
from nodes.route import route
from state import NodeName, RAGState, Timing, Update

Graph = CompiledStateGraph[RAGState, Context, RAGState, RAGState]


class Node(Protocol):
    """One node: reads the state, returns only what it changes."""

    async def __call__(self, state: RAGState, runtime: Runtime[Context]) -> Update: ...


Wrap = Callable[[NodeName, Node], Node]


def build(checkpointer: BaseCheckpointSaver[str] | None = None, *, wrap: Wrap | None = None) -> Graph:
    """Compile the graph; with a checkpointer every step is kept under its thread. `wrap` dresses every node."""
    wrapped = wrap or timed
    graph = StateGraph(RAGState, context_schema=Context)
    graph.add_node("route", wrapped("route", route))
    graph.add_node("rewrite", wrapped("rewrite", rewrite))
    graph.add_node("retrieve", wrapped("retrieve", retrieve))
    graph.add_node("evaluate", wrapped("evaluate", evaluate))
    graph.add_node("handoff", wrapped("handoff", handoff))
    graph.add_node("generate", wrapped("generate", generate))

    graph.add_edge(START, "route")
    graph.add_conditional_edges("route", after_route)
    graph.add_conditional_edges("rewrite", after_rewrite)
    graph.add_edge("retrieve", "evaluate")
    graph.add_conditional_edges("evaluate", after_evaluate)
    graph.add_edge("handoff", "generate")
    graph.add_edge("generate", END)
    return graph.compile(checkpointer=checkpointer)


def timed(name: NodeName, node: Node) -> Node:
    """The node, with its duration added to `timings`."""

    async def run(state: RAGState, runtime: Runtime[Context]) -> Update:
        clock = runtime.context.clock
        started = clock()
        update = await with_aside_ended(await node(state, runtime), state, runtime.context)
        took: Timing = {
            "node": name,
            "round": update.get("retry_count", state["retry_count"]),
            "ms": round(max(0.0, clock() - started) * 1000, 3),
        }
        return {**update, "timings": [*state["timings"], took]}

    return run
