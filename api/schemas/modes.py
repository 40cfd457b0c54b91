"""What `GET /modes` says."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.schemas.replies import Shown
from state import Lane, Mode, NodeName


class Summary(Shown):
    """One sentence, in both languages."""

    zh: str
    en: str


class ModeSearch(Shown):
    """What the mode asks of retrieval."""

    lanes: list[Lane]
    rerank: Literal["never", "where_configured", "always", "by_embedding"] = Field(
        description="always: by the deployment's reranker, or else by embedding; where_configured: by that one only."
    )
    rerank_depth: int | None = Field(description="How many hits are re-ordered; null for GAPSEEK_RERANK__DEPTH.")
    top_k: int | None = Field(description="How many hits are kept; null for GAPSEEK_TOP_K.")


class ModelCalls(Shown):
    """What a model is asked for; the offline reasoner calls none."""

    once: list[str]
    each_round: list[str]


class ModePath(Shown):
    """The way through the graph of a question that is looked up and goes to no person."""

    nodes: list[NodeName]
    back_to: NodeName | None = Field(description="Where a gap leads from `evaluate`; null in one pass.")
    rounds_at_most: int
    searches_each_round: str
    model_calls: ModelCalls


class ShownMode(Shown):
    mode: Mode
    summary: Summary
    default: bool
    available: bool
    why_not: str | None
    degraded: list[str] = Field(description="What this deployment leaves out of it.")
    search: ModeSearch | None = Field(description="Null for a mode that is not built.")
    path: ModePath | None = Field(description="Null for a mode that is not built.")


class Modes(Shown):
    default: Mode = Field(description="That of an ask without one: GAPSEEK_MODE.")
    modes: list[ShownMode]
