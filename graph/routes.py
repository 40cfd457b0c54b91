"""Where to go next. Pure: each reads the stop reason that a node wrote."""

from __future__ import annotations

from typing import Literal

from policy.handover import hands_over
from state import RAGState


def after_route(state: RAGState) -> Literal["rewrite", "generate"]:
    return "generate" if state["stop_reason"] else "rewrite"


def after_rewrite(state: RAGState) -> Literal["retrieve", "handoff", "generate"]:
    return _stopped(state) if state["stop_reason"] else "retrieve"


def after_evaluate(state: RAGState) -> Literal["rewrite", "handoff", "generate"]:
    return _stopped(state) if state["stop_reason"] else "rewrite"


def _stopped(state: RAGState) -> Literal["handoff", "generate"]:
    return "handoff" if hands_over(state) else "generate"
