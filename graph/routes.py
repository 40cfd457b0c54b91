"""Where to go next. Pure: each reads the stop reason that a node wrote, or else the way of the mode."""

from __future__ import annotations

from typing import Literal

from policy.handover import hands_over
from policy.modes import way_of
from state import RAGState


def after_route(state: RAGState) -> Literal["rewrite", "retrieve", "generate"]:
    return "generate" if state["stop_reason"] else way_of(state).first


def after_rewrite(state: RAGState) -> Literal["retrieve", "handoff", "generate"]:
    return _stopped(state) if state["stop_reason"] else "retrieve"


def after_evaluate(state: RAGState) -> Literal["rewrite", "handoff", "generate"]:
    back = None if state["stop_reason"] else way_of(state).back
    return back or _stopped(state)


def _stopped(state: RAGState) -> Literal["handoff", "generate"]:
    return "handoff" if hands_over(state) else "generate"
