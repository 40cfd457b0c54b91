"""Where to go next. Pure: each reads the stop reason that a node wrote, and after the route the mode."""

from __future__ import annotations

from typing import Literal

from policy.handover import hands_over
from policy.inquiry import inquiry_of
from policy.modes import way_of
from state import RAGState


def after_route(state: RAGState) -> Literal["rewrite", "retrieve", "generate"]:
    return "generate" if state["stop_reason"] else way_of(state).first


def after_rewrite(state: RAGState) -> Literal["retrieve", "agent", "handoff", "generate"]:
    if state["stop_reason"]:
        return _stopped(state)
    return "agent" if way_of(state).tools else "retrieve"


def after_agent(state: RAGState) -> Literal["agent", "evaluate"]:
    """However the search ended, what it brought is judged; a replay may end it by another mode."""
    return "evaluate" if inquiry_of(state)["ended"] or not way_of(state).tools else "agent"


def after_evaluate(state: RAGState) -> Literal["rewrite", "agent", "handoff", "generate"]:
    if state["stop_reason"]:
        return _stopped(state)
    return "agent" if way_of(state).tools else "rewrite"


def _stopped(state: RAGState) -> Literal["handoff", "generate"]:
    return "handoff" if hands_over(state) else "generate"
