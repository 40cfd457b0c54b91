"""What the events of a stream hold, as OpenAPI shows it: of a run, and of documents that are indexed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from api.schemas.inline import inline
from api.schemas.knowledge import ShownOutcome
from api.schemas.replies import Origin, Shown, ShownCitation
from state import Mode, NodeName, Status, StopReason


class RunTold(Shown):
    """First: the run's ids, and what it may cost."""

    thread_id: str
    run_id: str
    mode: Mode
    budget: dict[str, float]
    replay_of: Origin | None = Field(default=None, description="Of a replay only.")


class NodeTold(Shown):
    name: NodeName
    round: int
    phase: Literal["start", "end"]
    duration_ms: float | None
    changed: dict[str, Any]


class TokenTold(Shown):
    """Checked text; all of them joined are the answer."""

    text: str


class DraftTold(Shown):
    text: str
    citations: list[ShownCitation]
    verified: Literal[False]


class InterruptTold(Shown):
    """What a person is asked."""

    question: str
    standalone: str
    ledger: list[dict[str, Any]]
    gaps: list[dict[str, Any]]
    asked_at: float
    thread_id: str
    run_id: str


class RunErrorTold(Shown):
    code: str
    detail: str
    retryable: bool
    thread_id: str
    run_id: str


class RunDoneTold(Shown):
    """Last, however the run ended."""

    thread_id: str
    run_id: str
    status: Status
    stop_reason: StopReason | None


class ChunksTold(Shown):
    """How far a long document has come."""

    doc_id: str
    done: int
    total: int


class DocumentTold(ShownOutcome):
    done: int
    total: int


class UploadErrorTold(Shown):
    status: int
    code: str
    detail: str
    retryable: bool


class UploadDoneTold(Shown):
    added: int
    updated: int
    unchanged: int
    failed: int


_RUN: Final[Mapping[str, type[BaseModel]]] = {
    "run": RunTold,
    "node": NodeTold,
    "token": TokenTold,
    "draft": DraftTold,
    "interrupt": InterruptTold,
    "error": RunErrorTold,
    "done": RunDoneTold,
}
_UPLOAD: Final[Mapping[str, type[BaseModel]]] = {
    "chunks": ChunksTold,
    "document": DocumentTold,
    "error": UploadErrorTold,
    "done": UploadDoneTold,
}


def of_run(*replies: str) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entry of a run's stream, whose `answer` is one of these schemas."""
    answer = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in replies]}
    return _streamed({**{name: inline(model) for name, model in _RUN.items()}, "answer": answer})


def of_upload() -> dict[int | str, dict[str, Any]]:
    """The OpenAPI entry of the stream that tells of documents as they are done."""
    return _streamed({name: inline(model) for name, model in _UPLOAD.items()})


def _streamed(events: Mapping[str, Any]) -> dict[int | str, dict[str, Any]]:
    """As FastAPI describes a stream: `itemSchema`, which OpenAPI has from 3.2 on, for each event."""
    item = {"oneOf": [_event(name, schema) for name, schema in events.items()]}
    return {200: {"content": {"text/event-stream": {"itemSchema": item}}}}


def _event(name: str, schema: Any) -> dict[str, Any]:
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}
    number = {"type": "string", "pattern": "^[0-9]+$"}
    return {
        "type": "object",
        "title": name,
        "required": ["event", "data", "id"],
        "properties": {"event": {"const": name}, "data": data, "id": number},
    }
