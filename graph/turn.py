"""How a turn begins: every per-turn field at its start value, so that nothing of the last question is left."""

from __future__ import annotations

from typing import Any

from context.run import Context
from evidence import NO_REPAIRS
from policy.budget import nothing_spent
from policy.inquiry import nothing_asked
from state import SCHEMA, Dials, Mode, Recorded


def begin(
    question: str,
    *,
    mode: Mode,
    filters: dict[str, Any] | None,
    dials: Dials,
    started_at: float,
    recorded: Recorded,
    handoff: bool = False,
) -> dict[str, Any]:
    """The input of one ask: all fields of `RAGState` but `history`, which outlives a turn."""
    return {
        "schema": SCHEMA,
        "question": question,
        "language": "en",
        "mode": mode,
        "filters": filters,
        "proposed_filter": None,
        "dials": dials,
        "handoff": handoff,
        "started_at": started_at,
        "recorded": recorded,
        "standalone": question,
        "need_retrieval": True,
        "route_reason": "",
        "sub_questions": [],
        "rewritten_queries": [],
        "tried": [],
        "docs": [],
        "lanes": [],
        "visible_chunks": 0,
        "tool_calls": [],
        "inquiry": nothing_asked(),
        "rejudged": [],
        "graded": [],
        "ledger": [],
        "relevance_score": 0.0,
        "gaps": [],
        "strategies": [],
        "conflicts": [],
        "repairs": dict(NO_REPAIRS),
        "retry_count": 0,
        "spent": nothing_spent(),
        "timings": [],
        "stop_reason": None,
        "person": None,
        "answer": "",
        "citations": [],
    }


def recursion_limit(dials: Dials) -> int:
    """Steps that the longest run of these dials can take (DESIGN, section 3)."""
    return 6 + 3 * (dials["max_retries"] + 1) + 2 * dials["max_tool_calls"]


def recorded(context: Context) -> Recorded:
    """What a run started now would run on."""
    return {
        "index_generation": context.retriever.generation_of(context.principal),
        "reasoner": context.reasoner.name,
        "embedder": context.retriever.embedder_name,
    }
