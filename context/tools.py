"""What the agent's choice of a tool is made from, and what is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from context.retrieval import Passage, Principal
from evidence import Disagreement, Gap, LedgerEntry
from state import Language, Query, SubQuestion


@dataclass(frozen=True)
class Place:
    """A hit as it is shown again: `passage.text` is as much of the chunk as there is room for, from character `start`
    of its whole text on, and empty where a later step shows it."""

    passage: Passage
    start: int = 0

    @property
    def position(self) -> int:
        """Where the shown text begins in its document."""
        return self.passage.start + self.start


@dataclass(frozen=True)
class ToolStep:
    """One tool call of this turn: what was asked, what we said of it, and the places that it brought."""

    tool: str
    arguments: Mapping[str, Any]
    remark: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class ToolRequest:
    """Choose the next tool call, or finish.

    `open` are the required sub-questions for which nothing is established or noted; `gaps` and `conflicts` say what was
    missing after the evidence was judged, and are empty before. `suggested` are queries that nobody has searched yet.
    """

    question: str
    language: Language
    sub_questions: tuple[SubQuestion, ...]
    open: tuple[SubQuestion, ...]
    gaps: tuple[Gap, ...]
    conflicts: tuple[Disagreement, ...]
    ledger: tuple[LedgerEntry, ...]
    suggested: tuple[Query, ...]
    steps: tuple[ToolStep, ...]
    calls_left: int
    searches_left: int
    principal: Principal
    timeout_s: float
    max_calls: int = 1


@dataclass(frozen=True)
class ToolChoice:
    """A tool by its name with its arguments, unchecked; documents, chunks and sub-questions by their ids."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SummaryRequest:
    """What do these passages of one document say on the question?"""

    question: str
    language: Language
    passages: tuple[Passage, ...]
    principal: Principal
    timeout_s: float
    max_calls: int = 1


@dataclass(frozen=True)
class Point:
    """A point of a summary: the words of the passage that make it."""

    chunk_id: str
    quote: str
