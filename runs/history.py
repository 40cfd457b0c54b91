"""Every step of a thread, oldest first, read from its checkpoints: no node runs and no model is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from langgraph.types import StateSnapshot

from context.retrieval import Principal
from policy.onward import why_next
from policy.step_cost import StepCost, spent_between
from runs.changes import changes, difference
from runs.engine import Engine, config
from runs.threads import owned, readable
from state import RAGState

START: Final = "start"
"""The step that takes the question in; everything after it can be run anew from there."""


async def history(engine: Engine, principal: Principal, thread_id: str) -> dict[str, Any]:
    """All steps of all turns. Raises `NotFound`, and `Conflict` for what a newer version wrote."""
    await owned(engine, principal, thread_id)
    newest_first = [readable(kept) async for kept in engine.graph.aget_state_history(config(thread_id))]
    steps: list[dict[str, Any]] = []
    before: Mapping[str, Any] = {}
    for snapshot in reversed(newest_first):
        if is_step(snapshot):
            steps.append(_step(snapshot, before))
            before = snapshot.values
    return {"thread_id": thread_id, "steps": steps}


def is_step(snapshot: StateSnapshot) -> bool:
    """Whether the checkpoint is a step; the one that only holds an input not yet taken in is none."""
    return snapshot.metadata is not None and snapshot.metadata.get("source") != "input"


def written_by(values: Mapping[str, Any]) -> str:
    """The node that wrote this state: the last one timed, or `start` before any was."""
    return str(values["timings"][-1]["node"]) if values["timings"] else START


def _step(snapshot: StateSnapshot, before: Mapping[str, Any]) -> dict[str, Any]:
    values = snapshot.values
    node = written_by(values)
    asked = {name: values[name] for name in ("question", "mode", "filters")}
    timing = values["timings"][-1] if node != START else None
    onward = snapshot.next[0] if snapshot.next else None
    return {
        "checkpoint_id": snapshot.config["configurable"]["checkpoint_id"],
        "node": node,
        "round": timing["round"] if timing else 0,
        "changed": difference(before, values) if timing else changes(asked),
        "next": list(snapshot.next),
        "duration_ms": timing["ms"] if timing else None,
        "why": why_next(cast(RAGState, values), node, onward),
        "cost": _cost(values, before, is_copied=not before and node != START),
    }


def _cost(values: Mapping[str, Any], before: Mapping[str, Any], *, is_copied: bool) -> StepCost:
    """What the step itself cost: a turn begins with nothing spent, and what a replay begins with was paid for once."""
    spent = values["spent"]
    if not values["timings"]:
        return spent_between(None, spent)
    return spent_between(spent if is_copied else before["spent"], spent)
