"""Threads that wait for a person: which do, and what that forbids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import StateSnapshot

from errors import Conflict


def awaited(snapshot: StateSnapshot) -> Mapping[str, Any] | None:
    """What a person was asked and has not answered yet (`nodes/handoff.py`), None when nobody is waited for."""
    return next((pending.value for task in snapshot.tasks for pending in task.interrupts), None)


def refuse_waiting(snapshot: StateSnapshot) -> None:
    """Raises `Conflict`, with the way out, for a thread that waits for a person."""
    if awaited(snapshot) is not None:
        raise Conflict(
            "This thread waits for a person's reply: ask in a new thread, or end the wait with POST "
            '/threads/{thread_id}/reply and a text or {"decline": true}.',
            code="awaiting_human",
        )
