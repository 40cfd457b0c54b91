"""Ask a person what the documents do not say, and wait for the reply, in whichever process it comes."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from context.run import Context
from state import RAGState, Update


async def handoff(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Stop the graph until a person replies or declines; the time that they take does not count.

    Everything before the interrupt runs again when the graph goes on. A person who declines leaves the machine's own
    reason to stop as it was.
    """
    reply = interrupt(request(state, runtime.context.clock()))
    awaited = max(0.0, runtime.context.clock() - reply["asked_at"])
    resumed: Update = {"started_at": state["started_at"] + awaited}
    if reply["text"] is None:
        return resumed
    doc_id = f"person:{reply['run_id']}"
    return {
        **resumed,
        "person": {"doc_id": doc_id, "name": reply["name"] or "", "text": reply["text"]},
        "stop_reason": "human",
    }


def request(state: RAGState, now: float) -> dict[str, Any]:
    """What a person is asked, of plain types: the question, what was found for it, and what is missing.

    A reply takes `asked_at` back, so that the time between is known in another process too.
    """
    return {
        "question": state["question"],
        "standalone": state["standalone"],
        "ledger": state["ledger"],
        "gaps": state["gaps"],
        "asked_at": now,
    }
