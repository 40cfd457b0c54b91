"""What a tool brought, before it is written down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from context.retrieval import Passage
from state import Language, ToolHit, ToolOutcome, Update


@dataclass(frozen=True)
class Result:
    """The places, our sentence if there is something to say, and what changes in the state."""

    outcome: ToolOutcome
    hits: tuple[ToolHit, ...] = ()
    remark: str = ""
    update: Update = field(default_factory=Update)


def said(outcome: ToolOutcome, remark: dict[Language, str], language: Language, **parts: object) -> Result:
    """A result that is a sentence and nothing else."""
    return Result(outcome, remark=remark[language].format(**parts))


def hit(passage: Passage, span: tuple[int, int] | None = None) -> ToolHit:
    """A place in a passage; without a span, all of it."""
    start, end = span or (0, len(passage.text))
    return {
        "chunk_id": passage.chunk_id,
        "doc_id": passage.doc_id,
        "title": passage.title,
        "start": start,
        "end": end,
    }


def whole(passages: Iterable[Passage]) -> tuple[ToolHit, ...]:
    """One hit a passage."""
    return tuple(map(hit, passages))
