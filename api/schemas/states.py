"""What `/health` and `/ready` say."""

from __future__ import annotations

from pydantic import Field

from api.schemas.replies import Shown


class VectorLane(Shown):
    on: bool
    reason: str | None


class Health(Shown):
    status: str
    version: str
    reasoner: str
    embedder: str | None
    vector_lane: VectorLane
    modes: list[str]
    documents: int
    chunks: int
    index_generation: int
    awaiting_human: int = Field(description="Threads of the asker's tenant that wait for a person.")


class Ready(Shown):
    ready: bool
    degraded: list[str]
