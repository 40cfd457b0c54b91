"""Conflicts and superseded sources of a state's ledger, as of the day that its question asks about."""

from __future__ import annotations

from evidence import Disagreement, LedgerEntry
from policy.conflicts import settled
from policy.supersession import day_asked
from state import RAGState


def settle(state: RAGState, now: float) -> tuple[list[LedgerEntry], list[Disagreement]]:
    """The ledger with what is superseded marked, and what is left in conflict; `now` in seconds since the epoch."""
    return settled(
        state["sub_questions"],
        state["ledger"],
        state["conflicts"],
        threshold=state["dials"]["threshold"],
        day=day_asked(state["standalone"], now),
        round_=state["retry_count"],
        current={doc["doc_id"]: doc["version"] for doc in state["docs"]},
    )
