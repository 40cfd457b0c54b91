"""From what LangGraph streams to what a client sees: one pure function, and the events it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from runs.changes import difference

EventType = Literal["run", "node", "token", "interrupt", "draft", "answer", "error", "done", "chunks", "document"]


@dataclass(frozen=True)
class Event:
    """One thing that happened in a run. `id` rises by one with each event of a run."""

    type: EventType
    data: dict[str, Any]
    id: int = 0


def to_event(part: Mapping[str, Any], before: Mapping[str, Any]) -> Event | None:
    """Translate one part of `astream(stream_mode=["tasks", "custom"], version="v2")`; None when it is not for a client.

    `before` is the state that the node at work was given: what it writes unchanged is no news. A node's task that
    failed gives no event: the exception that follows does.
    """
    data = cast(Mapping[str, Any], part["data"])
    match part["type"]:
        case "custom" if data.get("type") == "token":
            return Event("token", {"text": data["text"]})
        case "tasks" if "input" in data:
            return Event("node", _started(data["name"], data["input"]))
        case "tasks" if data.get("interrupts"):
            return Event("interrupt", dict(data["interrupts"][0]["value"]))
        case "tasks" if data["error"] is None:
            return Event("node", _ended(data["name"], data["result"], before))
    return None


def _started(name: str, state: Mapping[str, Any]) -> dict[str, Any]:
    # A later rewrite, or an agent that is sent back, opens the next round; the state still counts the last one.
    sent_back = name == "agent" and bool((state.get("inquiry") or {}).get("ended"))
    opens = (name == "rewrite" and bool(state["tried"])) or sent_back
    return {"name": name, "round": state["retry_count"] + opens, "phase": "start", "duration_ms": None, "changed": {}}


def _ended(name: str, update: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    timing = update["timings"][-1]
    return {
        "name": name,
        "round": timing["round"],
        "phase": "end",
        "duration_ms": timing["ms"],
        "changed": difference(before, update),
    }
