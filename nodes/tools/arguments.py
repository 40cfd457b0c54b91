"""The arguments that each tool takes, checked before anything is done with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

LARGEST: Final = 2**63 - 1
LONGEST_FAULT: Final = 160
"""Characters of a fault that are told."""

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]


class Arguments(BaseModel):
    """What one tool takes; a name that it does not know is a fault."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def kept(self) -> dict[str, Any]:
        """The arguments as the state keeps them: without those left out, and without a document's text."""
        return self.model_dump(exclude_defaults=True)


class Search(Arguments):
    """`filter` is a filter of the one small language, and applies beside the caller's own."""

    query: Words
    filter: dict[str, Any] | None = None

    @field_validator("filter")
    @classmethod
    def _can_be_kept(cls, value: Any) -> Any:
        """No checkpoint holds a longer number."""
        if any(abs(number) > LARGEST for number in _integers(value)):
            raise ValueError("a number in it is too large")
        return value


class Find(Arguments):
    """`pattern` is a text, whatever its case; with `regex` a regular expression."""

    doc: Id
    pattern: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    regex: bool = False


class Open(Arguments):
    """`position` counts characters of the document's text from 0."""

    doc: Id
    position: int = Field(ge=0, le=10**9)


class Summarize(Arguments):
    doc: Id
    question: Words


class Note(Arguments):
    """`quote` must stand in the chunk; white space may differ."""

    sub_question: Id
    chunk: Id
    quote: Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=2_000)]

    def kept(self) -> dict[str, Any]:
        return self.model_dump(exclude={"quote"})


class Finish(Arguments):
    """Takes nothing."""


TOOLS: Final[dict[str, type[Arguments]]] = {
    "search": Search,
    "find": Find,
    "open": Open,
    "summarize": Summarize,
    "note": Note,
    "finish": Finish,
}


def clean(value: Any) -> Any:
    """The value with half a character, as a model's escapes may leave it, made a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(name): clean(inner) for name, inner in value.items()}
    return [clean(inner) for inner in value] if isinstance(value, list) else value


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        yield from (number for inner in value for number in _integers(inner))
    elif isinstance(value, int):
        yield value


def checked(tool: type[Arguments], given: Mapping[str, Any]) -> Arguments | str:
    """The arguments, or what is wrong with them in a few words that repeat nothing of what was given."""
    try:
        return tool.model_validate(clean(dict(given)))
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False, include_context=False)[0]
        name = ".".join(str(step) for step in fault["loc"] if step in tool.model_fields)
        message = f"{name}: {fault['msg']}" if name else f"{fault['msg']}; it takes: {', '.join(tool.model_fields)}"
        return message[:LONGEST_FAULT].rstrip(".")
