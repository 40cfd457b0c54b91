"""Short numbers for what the agent's prompt shows, and a model's choice in them as one in ids."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from context.tools import ToolChoice, ToolRequest, ToolStep
from reasoner.blocks import positions
from reasoner.tool_forms import FIELDS

_EMPTY: Final = (None, "")


class Numbers:
    """Documents, passages and sub-questions by number from 1, in the order in which the steps brought them."""

    def __init__(self, request: ToolRequest) -> None:
        brought = [place.passage for step in request.steps for place in step.places]
        self.docs = _numbered(passage.doc_id for passage in brought)
        self.chunks = _numbered(passage.chunk_id for passage in brought)
        self.items = positions(request.sub_questions)

    def of(self, step: ToolStep) -> dict[str, Any]:
        """A step's arguments in numbers; what has none stays 0."""
        return {
            name: self._named(name).get(value, 0) if name in _NUMBERED else value
            for name, value in step.arguments.items()
        }

    def choice(self, tool: str, given: Mapping[str, Any]) -> ToolChoice:
        """What a model chose, in ids. A number that was never given stays a text that names nothing."""
        taken = {name: given[name] for name in FIELDS.get(tool, ()) if given.get(name) not in _EMPTY}
        return ToolChoice(tool, {name: self._meant(name, value) for name, value in taken.items()})

    def _meant(self, name: str, value: Any) -> Any:
        if name in _NUMBERED:
            return next((id_ for id_, number in self._named(name).items() if str(number) == str(value)), str(value))
        return _object(value) if name == "filter" else value

    def _named(self, name: str) -> dict[str, int]:
        return {"doc": self.docs, "chunk": self.chunks, "sub_question": self.items}[name]


_NUMBERED: Final = ("doc", "chunk", "sub_question")


def _numbered(ids: Iterable[str]) -> dict[str, int]:
    return {id_: number for number, id_ in enumerate(dict.fromkeys(ids), 1)}


def _object(value: Any) -> Any:
    """A filter that was written as text; one that is no JSON stays a text, which no tool takes."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
