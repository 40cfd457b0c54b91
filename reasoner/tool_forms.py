"""The agent's tools as a model sees them: as functions, and as one flat form for endpoints that have none.

Documents, passages and checklist items go by the numbers of the prompt. What is asked for here is checked by whoever
runs the tool.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pydantic import ConfigDict, Field

from reasoner.schemas import Form
from state import ToolName


class ToolForm(Form):
    """One tool call; the fields that the tool does not take are empty."""

    model_config = ConfigDict(title="tool")

    reason: str = ""
    tool: ToolName
    query: str = ""
    filter: str = ""
    doc: int = 0
    pattern: str = ""
    regex: bool = False
    position: int = 0
    question: str = ""
    sub_question: int = 0
    chunk: int = 0
    quote: str = ""


class PointForm(Form):
    passage: int
    quote: str


class SummaryForm(Form):
    model_config = ConfigDict(title="summary")

    reason: str
    points: list[PointForm] = Field(default_factory=list)


_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_FUNCTIONS: Final[dict[ToolName, tuple[str, dict[str, Any], tuple[str, ...]]]] = {
    "search": (
        "Search the knowledge base.",
        {"query": _TEXT, "filter": {"type": "object", "description": 'Metadata, such as {"year": 2024}. Optional.'}},
        ("query",),
    ),
    "find": (
        "Find an exact text, or with regex a regular expression of RE2, inside one document.",
        {"doc": _NUMBER, "pattern": _TEXT, "regex": {"type": "boolean"}},
        ("doc", "pattern"),
    ),
    "open": (
        "Read the passage at a position of a document. The end of a passage gives the next one.",
        {"doc": _NUMBER, "position": _NUMBER},
        ("doc", "position"),
    ),
    "summarize": (
        "Have one document read for what it says on a question.",
        {"doc": _NUMBER, "question": _TEXT},
        ("doc", "question"),
    ),
    "note": (
        "Put a passage before the judge as evidence for an item of the checklist, with a word-for-word quote.",
        {"sub_question": _NUMBER, "chunk": _NUMBER, "quote": _TEXT},
        ("sub_question", "chunk", "quote"),
    ),
    "finish": ("End the search.", {}, ()),
}
"""By tool: what it does, what it takes, and which of that it needs."""

FIELDS: Final[dict[str, tuple[str, ...]]] = {name: tuple(taken) for name, (_, taken, _) in _FUNCTIONS.items()}


@cache
def functions() -> list[dict[str, Any]]:
    """The tools in the form of function calling."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": about,
                "parameters": {"type": "object", "properties": taken, "required": list(needed)},
            },
        }
        for name, (about, taken, needed) in _FUNCTIONS.items()
    ]
