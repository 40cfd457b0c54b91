"""What ran beside the graph is over when the machine has decided to stop, and its cost is counted with that step."""

from __future__ import annotations

from context.run import Context
from policy.budget import settle
from state import RAGState, Update


async def with_aside_ended(update: Update, state: RAGState, context: Context) -> Update:
    """The update of a node; of one that stops, with what ran beside it ended and counted.

    So its cost is in the checkpoint before the answer, or a person's reply, is waited for.
    """
    if context.beside is None or not update.get("stop_reason"):
        return update
    return {**update, "spent": settle(update.get("spent", state["spent"]), await context.beside.end())}
