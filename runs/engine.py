"""What every run is made with: the compiled graph, and who may run what over it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from context.retrieval import Principal
from context.run import Context
from errors import BadRequest
from graph.build import Graph
from policy.modes import WAYS
from runs.locks import ThreadLocks
from runs.tally import Watch, nobody
from state import Mode

Durability = Literal["sync", "async", "exit"]
Handoff = Literal["off", "on", "never"]

MODES: Final[tuple[Mode, ...]] = tuple(WAYS)
"""The modes of an ask that are built."""


def nothing_else(context: Context, model: str | None, prompts: str | None) -> Context:
    """Where no further model or set of prompts is configured. Raises `BadRequest`."""
    raise BadRequest("No other models or prompts are configured here.")


@dataclass(frozen=True)
class Engine:
    """The compiled graph, the saver it writes to, a context for each principal, and the locks of all threads.

    `watch` is told of every run that is over; with `tracing` LangSmith's own variables decide whether it is traced.
    """

    graph: Graph
    saver: BaseCheckpointSaver[str]
    context_for: Callable[[Principal], Context]
    mode: Mode = "loop"
    durability: Durability = "sync"
    handoff: Handoff = "off"
    max_question_chars: int = 4_000
    search_timeout_s: float = 10.0
    watch: Watch = nobody
    tracing: bool = False
    locks: ThreadLocks = field(default_factory=ThreadLocks)
    varied: Callable[[Context, str | None, str | None], Context] = nothing_else
    """The same context with another model, by another set of prompts; by names that are configured."""


def new_id() -> str:
    """An id that cannot be guessed: 32 hexadecimal digits."""
    return uuid4().hex


def of_asker(principal: Principal, run_id: str) -> dict[str, Any]:
    """What a run's checkpoints say of whose they are: who has not all the groups of its asker may not read it, for its
    answer and quotes may come from documents of any of them."""
    # As text: LangGraph keeps no lists here.
    return {"tenant": principal.tenant, "groups": json.dumps(sorted(principal.groups)), "run_id": run_id}


def may_read(principal: Principal, metadata: Mapping[str, Any] | None) -> bool:
    """Whether a checkpoint with this metadata is the principal's to read; those of old tell no groups."""
    if metadata is None or metadata.get("tenant") != principal.tenant:
        return False
    return principal.groups >= groups_of(metadata)


def groups_of(metadata: Mapping[str, Any] | None) -> frozenset[str]:
    """Groups of whoever asked, as a checkpoint keeps them; those of old have none."""
    return frozenset(json.loads((metadata or {}).get("groups", "[]")))


def config(thread_id: str, checkpoint_id: str | None = None, **metadata: Any) -> RunnableConfig:
    """LangGraph's address of a thread or of one of its checkpoints; `metadata` goes into what is written there."""
    place = {"thread_id": thread_id} | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})
    return {"configurable": place, "metadata": metadata}
