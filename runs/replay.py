"""Run anew from a kept step: in a thread of its own, so that the recorded one stays as it was."""

from __future__ import annotations

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
from runs.edits import EDITABLE, with_edits
from runs.engine import Engine, config, new_id, of_asker
from runs.events import Event
from runs.execute import Job, execute
from runs.history import START, is_step, written_by
from runs.holding import held
from runs.modes import checked_mode, refuse_unusable
from runs.threads import owned
from state import RAGState


@dataclass(frozen=True)
class Replay:
    """From which checkpoint of which thread, and what to change in its state first."""

    thread_id: str
    checkpoint_id: str
    edits: Mapping[str, Any] = field(default_factory=dict)


async def replay(engine: Engine, principal: Principal, request: Replay) -> AsyncGenerator[Event, None]:
    """Yield the events of `ask`; `answer` also says `replay_of`, which nodes `ran`, what was `edited`, what `differs`.

    Before the first event it raises `NotFound` for an unknown thread or checkpoint and `BadRequest` for a finished
    step or an edit that cannot be made.
    """
    source = await owned(engine, principal, request.thread_id, request.checkpoint_id)
    _check_replayable(source)
    context = engine.context_for(principal)
    state = await _prepared(engine, context, source, request.edits)
    job = Job(new_id(), new_id(), context, state["dials"], None)
    origin = {"thread_id": request.thread_id, "checkpoint_id": request.checkpoint_id}
    ran: list[str] = []
    about = {
        "replay_of": origin,
        "ran": ran,
        "edited": sorted(request.edits),
        "differs": _differs(source.values["recorded"], state["recorded"]),
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


def _check_replayable(source: StateSnapshot) -> None:
    if not is_step(source):
        raise BadRequest("Only the steps that the thread's history lists can be replayed.")
    if not source.next:
        raise BadRequest("Nothing comes after this checkpoint, so there is nothing to replay; choose an earlier step.")


async def _prepared(engine: Engine, context: Context, source: StateSnapshot, edits: Mapping[str, Any]) -> RAGState:
    """The kept state with the edits in it; what was counted stays, the clock starts again."""
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
    kept = cast(RAGState, source.values)
    checked["dials"] = turned(kept["dials"], _object(edits.get("dials", {})), context.dials)
    edited = with_edits(kept, checked, written_by=written_by(kept), upcoming=source.next[0])
    handoff = kept.get("handoff", False) and engine.handoff != "never"
    anew = {"handoff": handoff, "started_at": context.clock(), "recorded": recorded(context)}
    state = cast(RAGState, {**edited, **anew})
    return _decided_anew(state, context.clock()) if edits.keys() & {"sub_questions", "dials", "mode"} else state


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
    node = written_by(state)
    await engine.graph.aupdate_state(place, dict(state), as_node=GRAPH_START if node == START else node)


def _differs(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [name for name in now if now[name] != then.get(name)]
