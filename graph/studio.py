"""The machine for LangGraph Studio: over the built-in sample, with the offline reasoner, and nothing of it kept.

Studio starts a run with what a person typed, so the first node puts in what `runs` puts in elsewhere, and every node is
given its collaborators here, since Studio can only pass a context of plain values.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import Any, Final, cast

from langgraph.runtime import Runtime

from context.retrieval import Principal
from context.run import Context
from graph.build import Node, build, timed
from graph.knowledge import open_index
from graph.sample import ingest_sample
from graph.turn import begin, recorded
from reasoner.offline import OfflineReasoner
from settings import Endpoint, Settings
from state import NodeName, RAGState, Update


class Sample:
    """The built-in knowledge base in a folder that is gone with the process; opened once, by the first question."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._context: Context | None = None
        self._kept = AsyncExitStack()

    async def context(self) -> Context:
        async with self._opening:
            if self._context is None:
                self._context = await self._open()
            return self._context

    async def _open(self) -> Context:
        folder = await asyncio.to_thread(TemporaryDirectory, prefix="gapseek-studio-")
        none = Endpoint()
        settings = Settings(chat=none, small_chat=none, embeddings=none, data=Path(folder.name))
        index = await open_index(settings, self._kept)
        self._kept.callback(folder.cleanup)
        await ingest_sample(index)
        return Context(
            OfflineReasoner(index.statistics, index.embedder_name), index, time, Principal(), settings.dials()
        )

    async def close(self) -> None:
        await self._kept.aclose()


SAMPLE: Final = Sample()


def over_the_sample(name: NodeName, node: Node) -> Node:
    """The node with the sample's collaborators, whatever context the run was started with."""
    given = timed(name, node)

    async def run(state: RAGState, runtime: Runtime[Context]) -> Update:
        context = await SAMPLE.context()
        start = begun(state, context) if name == "route" else {}
        update = await given(cast(RAGState, {**state, **start}), runtime.override(context=context))
        return cast(Update, {**start, **update})

    return run


def begun(state: RAGState, context: Context) -> dict[str, Any]:
    """The start of a turn that asks what stands in the state."""
    start = begin(
        state["question"],
        mode="loop",
        filters=None,
        dials=context.dials,
        started_at=context.clock(),
        recorded=recorded(context),
    )
    return {"history": [], **start} if "history" not in state else start


graph = build(wrap=over_the_sample)
