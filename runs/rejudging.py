"""The recorded evidence of a turn, to be judged anew: nothing is searched again, and no way leads back to rewrite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from errors import BadRequest
from evidence import NO_REPAIRS
from policy import ledger
from policy.inquiry import calls_of
from state import RAGState

STEPS: Final = ("retrieve", "agent")
"""After one of these nodes evaluate comes, and judges what they brought."""
NOTHING_FOUND: Final = (
    "Nothing had been found at this step, so there is no recorded evidence to judge; choose one after a retrieve."
)


def before_judging(kept: Mapping[str, Any]) -> RAGState:
    """The state as it was before anything that it holds was judged, with all of that to be judged at once.

    Counts of what was spent stay. Raises `BadRequest` where nothing had been found yet.
    """
    state = cast(RAGState, kept)
    chunk_ids = recorded_chunks(state)
    if not chunk_ids:
        raise BadRequest(NOTHING_FOUND)
    last = max(place for place, timing in enumerate(state["timings"]) if timing["node"] in STEPS)
    ended = state["timings"][-1]["node"] == "generate"
    fresh = {
        "rejudged": chunk_ids,
        "history": state["history"][:-1] if ended else state["history"],
        "graded": [],
        "ledger": ledger.record(state["sub_questions"], (), ()),
        "relevance_score": 0.0,
        "gaps": ledger.gaps(state["sub_questions"], (), (), state["tried"], state["dials"]["threshold"]),
        "conflicts": [],
        "strategies": [],
        "repairs": dict(NO_REPAIRS),
        "spent": {**state["spent"], "barren_rounds": 0},
        "timings": state["timings"][: last + 1],
        "stop_reason": None,
        "person": None,
        "answer": "",
        "citations": [],
    }
    return cast(RAGState, {**kept, **fresh})


def recorded_chunks(state: RAGState) -> list[str]:
    """What was evidence, best first, then what else was judged, noted, or found and not judged yet."""
    held = sorted((e for entry in state["ledger"] for e in entry["evidence"]), key=lambda e: -e["grade"]["score"])
    judged = sorted(state["graded"], key=lambda pair: -pair["score"])
    noted = [hit for call in calls_of(state) if call["tool"] == "note" for hit in call["hits"]]
    known = [str(one["chunk_id"]) for row in (held, judged, noted) for one in cast("list[dict[str, Any]]", row)]
    return list(dict.fromkeys(known or [doc["chunk_id"] for doc in state["docs"]]))
