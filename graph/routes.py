"""Where to go next. Pure: each reads the stop reason that a node wrote."""

from __future__ import annotations

from typing import Literal

from state import RAGState


def after_route(state: RAGState) -> Literal["rewrite", "generate"]:
    return "generate" if state["stop_reason"] else "rewrite"


def after_rewrite(state: RAGState) -> Literal["retrieve", "generate"]:
    return "generate" if state["stop_reason"] else "retrieve"


def after_evaluate(state: RAGState) -> Literal["rewrite", "generate"]:
    return "generate" if state["stop_reason"] else "rewrite"
