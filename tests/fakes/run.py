"""A state and a runtime to call a node with: no graph, no mock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langgraph.runtime import Runtime

from context.reasoning import Reasoner
from context.retrieval import Principal, Retriever
from context.run import Context, Windows
from graph.turn import begin
from settings import Settings
from state import Dials, RAGState

NOW = 1_000.0
NO_WINDOWS = Windows()


def dials(**changed: float) -> Dials:
    """The default dials with some changed."""
    return cast(Dials, {**Settings(_env_file=None).dials(), **changed})  # type: ignore[call-arg]  # known at run time


def state(question: str = "谁付电梯维修费？", **changed: Any) -> RAGState:
    """A turn that has just begun, with some fields changed."""
    fresh = begin(
        question,
        mode="loop",
        filters=None,
        dials=dials(),
        started_at=NOW,
        recorded={"index_generation": 1, "reasoner": "scripted", "embedder": None},
    )
    return cast(RAGState, {"history": [], **fresh, **changed})


def runtime(
    reasoner: Reasoner | None = None,
    retriever: Retriever | None = None,
    *,
    now: float = NOW,
    windows: Windows = NO_WINDOWS,
    write: Callable[[Any], None] = lambda _: None,
) -> Runtime[Context]:
    """A runtime whose clock stands still."""
    from tests.fakes.reasoner import ScriptedReasoner
    from tests.fakes.retriever import MemoryRetriever

    context = Context(
        reasoner=reasoner or ScriptedReasoner(),
        retriever=retriever or MemoryRetriever(),
        clock=lambda: now,
        principal=Principal(),
        dials=dials(),
        windows=windows,
    )
    return Runtime(context=context, stream_writer=write)
