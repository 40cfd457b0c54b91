"""One run of the graph, whether asked or replayed: its events, and at the end its reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from langsmith import tracing_context
from langsmith.utils import tracing_is_enabled

from context.retrieval import Principal
from context.run import Context
from errors import Unavailable
from graph.turn import recursion_limit
from policy.budget import nothing_spent
from policy.handover import ASKED
from runs.draft import Drafting
from runs.engine import Engine, config, of_asker
from runs.events import Event, to_event
from runs.pump import pump
from runs.reply import Ids, reply
from runs.tally import Tally
from runs.visible import only_visible
from runs.waiting import awaited
from state import Dials, Mode, RAGState, Spent


@dataclass(frozen=True)
class Job:
    """What to run where. `input` is None when the thread already holds the state to go on from, and a `Command` when a
    person's reply is what it waits for: then the thread stays its `asker`'s, who may have fewer groups. `mode` is that
    of the turn, and `before` what it had spent when this began."""

    thread_id: str
    run_id: str
    context: Context
    dials: Dials
    input: dict[str, Any] | Command[Any] | None
    mode: Mode = "loop"
    draft: bool = False
    asker: Principal | None = None
    before: Spent = field(default_factory=nothing_spent)

    def config(self) -> RunnableConfig:
        """Where to write, under which owner, and how many steps at most."""
        address = config(self.thread_id, **of_asker(self.asker or self.context.principal, self.run_id))
        return {**address, "recursion_limit": recursion_limit(self.dials)}

    async def shown(self, said: dict[str, Any]) -> dict[str, Any]:
        """What this job may show its caller: a new question was looked up for them alone, within its time, but what a
        replay or a reply goes on from may have been found for somebody else."""
        return said if isinstance(self.input, dict) else await only_visible(said, self.context)


async def execute(engine: Engine, job: Job) -> AsyncGenerator[Event, None]:
    """Yield nodes and tokens as they happen, then the answer; and before it, when a person is asked, `interrupt`.

    Raises what a node raises, and `Unavailable` when every lane was lost and nothing is confirmed. However it ends, the
    engine's `watch` is told.
    """
    tally = Tally(job.context.principal.tenant, job.mode, job.before)
    try:
        async with aclosing(_traced(engine, job)) as events:
            async for event in events:
                tally.take(event)
                yield event
    except Exception as error:
        tally.failed(error)
        raise
    except BaseException:
        tally.stopped()
        raise
    finally:
        tally.over()
        engine.watch(tally)


async def _traced(engine: Engine, job: Job) -> AsyncGenerator[Event, None]:
    # Documents stay here unless this deployment says otherwise: the environment of a machine alone may ask LangChain to
    # send every state to its tracing service.
    with tracing_context(enabled=engine.tracing and bool(tracing_is_enabled())):
        async with aclosing(_with_draft(engine, job) if job.draft else _graph(engine, job)) as events:
            async for event in events:
                yield event


async def _with_draft(engine: Engine, job: Job) -> AsyncGenerator[Event, None]:
    """The events of the graph, and between them that of the draft as soon as it is written."""
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    drafting = Drafting(job.context, job.dials, job.mode, queue.put_nowait)
    beside = replace(job, context=replace(job.context, beside=drafting))
    pumping = asyncio.create_task(pump(_graph(engine, beside, drafting.begin), queue))
    try:
        while (event := await queue.get()) is not None:
            judged = {"draft": drafting.outcome(event.data)} if event.type == "answer" else {}
            yield replace(event, data=event.data | judged)
        await pumping
    finally:
        pumping.cancel()
        await asyncio.gather(pumping, return_exceptions=True)
        await drafting.end()


async def _graph(
    engine: Engine, job: Job, on_retrieved: Callable[[RAGState], None] = lambda _: None
) -> AsyncGenerator[Event, None]:
    """What the graph does, and then the answer; `on_retrieved` is given the state after each retrieval."""
    parts = engine.graph.astream(
        cast("RAGState | Command[Any] | None", job.input),
        job.config(),
        context=job.context,
        stream_mode=["tasks", "custom"],
        version="v2",
        durability=engine.durability,
    )
    before: dict[str, Any] = {}
    async with aclosing(cast(AsyncGenerator[dict[str, Any], None], parts)) as stream:
        async for part in stream:
            before = part["data"].get("input", before)
            event = to_event(part, before)
            if event is not None and event.type == "interrupt":
                yield Event("token", {"text": ASKED[before["language"]]})
                asked = await job.shown(event.data)
                event = replace(event, data=asked | {"thread_id": job.thread_id, "run_id": job.run_id})
            if event is not None:
                yield event
            if part["data"].get("name") == "retrieve" and part["data"].get("result"):
                on_retrieved(cast(RAGState, {**before, **part["data"]["result"]}))
    yield Event("answer", await _reply(engine, job))


async def _reply(engine: Engine, job: Job) -> dict[str, Any]:
    snapshot = await engine.graph.aget_state(config(job.thread_id))
    state = cast(RAGState, snapshot.values)
    ids = Ids(job.thread_id, job.run_id, snapshot.config["configurable"]["checkpoint_id"])
    took = (job.context.clock() - state["started_at"]) * 1000
    said = reply(state, ids, total_ms=took, awaited=awaited(snapshot) is not None)
    if said["status"] == "failed":
        raise Unavailable("No search lane answered, so nothing could be looked up.", code="source_unavailable")
    return await job.shown(said)
