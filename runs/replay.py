"""Run anew from a kept step: in a thread of its own, so that the recorded one stays as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, cast

from langgraph.constants import START as GRAPH_START
from langgraph.types import StateSnapshot

from context.retrieval import Principal
from context.run import Context
from errors import BadRequest
from graph.turn import recorded
from policy import ledger
from policy.decide import RULES, decide
from runs.ask import checked_filters, checked_question
from runs.dials import budget_of, turned
from runs.differing import differs
from runs.docs import read_docs
from runs.edits import EDITABLE, with_edits
from runs.engine import Engine, config, new_id, of_asker
from runs.events import Event
from runs.execute import Job, execute
from runs.history import START, is_step, written_by
from runs.holding import held
from runs.modes import checked_mode, refuse_unusable
from runs.rejudging import STEPS as REJUDGED_AFTER
from runs.rejudging import before_judging
from runs.threads import owned
from state import RAGState


@dataclass(frozen=True)
class Replay:
    """From which checkpoint of which thread, and what to change in its state first.

    `model` and `prompts` are names that the server is configured with. With `recorded_evidence` nothing is searched:
    what had been found by then is judged anew, and answered from.
    """

    thread_id: str
    checkpoint_id: str
    edits: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    prompts: str | None = None
    recorded_evidence: bool = False

    def edited(self) -> list[str]:
        """The names of all that is not as it was by the caller's wish."""
        others = {"model": self.model, "prompts": self.prompts, "evidence": self.recorded_evidence}
        return sorted([*self.edits, *(name for name, value in others.items() if value)])


async def replay(engine: Engine, principal: Principal, request: Replay) -> AsyncGenerator[Event, None]:
    """Yield the events of `ask`; `answer` also says `replay_of`, which nodes `ran`, what was `edited`, what `differs`.

    Before the first event it raises `NotFound` for an unknown thread or checkpoint and `BadRequest` for a finished
    step or an edit that cannot be made.
    """
    source = await owned(engine, principal, request.thread_id, request.checkpoint_id)
    _check_replayable(source, recorded_evidence=request.recorded_evidence)
    context = await _thinking(engine, engine.context_for(principal), request)
    state = await _prepared(engine, context, source, request)
    job = Job(new_id(), new_id(), context, state["dials"], None, state["mode"], before=state["spent"])
    origin = {"thread_id": request.thread_id, "checkpoint_id": request.checkpoint_id}
    ran: list[str] = []
    about = {
        "replay_of": origin,
        "ran": ran,
        "edited": request.edited(),
        "differs": differs(source.values["recorded"], state["recorded"]),
    }
    async with held(engine, job.thread_id, job.run_id):
        begun = {"thread_id": job.thread_id, "run_id": job.run_id, "mode": state["mode"], "replay_of": origin}
        yield Event("run", begun | {"budget": budget_of(job.dials)})
        await _fork(engine, job, state, origin)
        async with aclosing(execute(engine, job)) as events:
            async for event in events:
                if event.type == "node" and event.data["phase"] == "end":
                    ran.append(event.data["name"])
                yield replace(event, data=event.data | about) if event.type == "answer" else event


async def _thinking(engine: Engine, context: Context, request: Replay) -> Context:
    """With the model and the prompts that were asked for, which may have to be loaded first."""
    if request.model is None and request.prompts is None:
        return context
    return await asyncio.to_thread(engine.varied, context, request.model, request.prompts)


def _check_replayable(source: StateSnapshot, *, recorded_evidence: bool) -> None:
    if not is_step(source):
        raise BadRequest("Only the steps that the thread's history lists can be replayed.")
    if not source.next and not recorded_evidence:
        raise BadRequest("Nothing comes after this checkpoint, so there is nothing to replay; choose an earlier step.")


async def _prepared(engine: Engine, context: Context, source: StateSnapshot, request: Replay) -> RAGState:
    """The kept state with the edits in it; what was counted stays, the clock starts again."""
    kept, upcoming = cast(RAGState, source.values), source.next[:1]
    if request.recorded_evidence:
        kept, upcoming = before_judging(source.values), ("evaluate",)
    checked = await _checked(engine, context, kept, request.edits)
    edited = with_edits(kept, checked, written_by=written_by(kept), upcoming=upcoming[0])
    if request.recorded_evidence and "docs" in checked:
        edited = cast(RAGState, {**edited, "rejudged": [doc["chunk_id"] for doc in edited["docs"]]})
    handoff = kept.get("handoff", False) and engine.handoff != "never"
    anew = {"handoff": handoff, "started_at": context.clock(), "recorded": recorded(context)}
    state = cast(RAGState, {**edited, **anew})
    decides = request.edits.keys() & {"sub_questions", "dials", "mode"} and not request.recorded_evidence
    return _decided_anew(state, context.clock()) if decides else state


async def _checked(engine: Engine, context: Context, kept: RAGState, edits: Mapping[str, Any]) -> dict[str, Any]:
    """The edits, each a value that can be used."""
    unknown = sorted(set(edits) - set(EDITABLE))
    if unknown:
        raise BadRequest(f"A replay cannot edit {', '.join(unknown)}; it can edit: {', '.join(EDITABLE)}.")
    checked = dict(edits)
    if "question" in edits:
        checked["question"] = checked_question(engine, edits["question"])
    if "mode" in edits:
        checked["mode"] = checked_mode(edits["mode"])
        refuse_unusable(checked["mode"], context.retriever)
    if "filters" in edits:
        checked["filters"] = await checked_filters(context, edits["filters"])
    if "docs" in edits:
        checked["docs"] = await read_docs(context, edits["docs"])
    checked["dials"] = turned(kept["dials"], _object(edits.get("dials", {})), context.dials)
    return checked


def _decided_anew(state: RAGState, now: float) -> RAGState:
    """The state with the gaps, and the reason to stop, that its writer would have found on this checklist and dials."""
    node = written_by(state)
    if node not in RULES:
        return state
    found = ledger.gaps(
        state["sub_questions"], state["ledger"], state["conflicts"], state["tried"], state["dials"]["threshold"]
    )
    decided = cast(RAGState, {**state, "gaps": found})
    return cast(RAGState, {**decided, "stop_reason": decide(decided, state["dials"], now, at=node)})


def _object(dials: Any) -> Mapping[str, Any]:
    if not isinstance(dials, Mapping):
        raise BadRequest("'dials' must be an object of names and numbers.")
    return dials


async def _fork(engine: Engine, job: Job, state: RAGState, origin: dict[str, str]) -> None:
    """Write the state into the new thread as if the node that wrote it had just done so there."""
    place = config(job.thread_id, **of_asker(job.context.principal, job.run_id), replay_of=origin)
    await engine.graph.aupdate_state(place, dict(state), as_node=_as_node(state))


def _as_node(state: RAGState) -> str:
    """The node whose edges lead on from this state; however it was found, what is judged anew goes to evaluate."""
    if state.get("rejudged") and written_by(state) in REJUDGED_AFTER:
        return "retrieve"
    return GRAPH_START if written_by(state) == START else written_by(state)
