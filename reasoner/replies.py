"""What a reply holds that was asked for in a form: read alike, however it was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from langchain_core.messages import AIMessage
from pydantic import ValidationError

from reasoner.client import ARGUMENTS, REASONING
from reasoner.lenient import objects_in
from reasoner.schemas import Form
from reasoner.thinking import answer_only
from state import Language

F = TypeVar("F", bound=Form)

NO_OBJECT: Final[dict[Language, str]] = {"zh": "其中没有完整的 JSON 对象", "en": "it holds no whole JSON object"}

CUT: Final = "length"
"""The finish reason of a reply that was cut at its limit."""


@dataclass(frozen=True)
class Reading(Generic[F]):
    """What a reply holds: the form, or what is wrong with it."""

    value: F | None
    wrong: str = ""


def read(form: type[F], held: Sequence[str], language: Language) -> Reading[F]:
    """The first object in these texts that has the form; else what is wrong with the first object that there is."""
    wrong = ""
    for found in (found for text in held for found in objects_of(text)):
        try:
            return Reading(form.model_validate(found))
        except ValidationError as error:
            wrong = wrong or _told(error)
    return Reading(None, wrong or NO_OBJECT[language])


def objects_of(text: str) -> Iterator[dict[str, Any]]:
    """Nothing inside a thought counts; a text that is JSON from end to end is not searched for one."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from objects_in(answer_only(text))
        return
    if isinstance(whole, dict):
        yield whole
    elif isinstance(whole, str):
        yield from objects_in(whole)


def texts(reply: AIMessage) -> list[str]:
    """Where a reply may hold its form, likeliest first: a function's arguments, the content, the thought."""
    called = map(str, reply.additional_kwargs.get(ARGUMENTS, ()))
    thought = reply.additional_kwargs.get(REASONING, "")
    return [text for text in (*called, reply.text, thought) if text]


def is_cut(reply: AIMessage) -> bool:
    return reply.response_metadata.get("finish_reason") == CUT


def _told(error: ValidationError) -> str:
    """Where the first faults are and what is expected there; not what was given."""
    faults = error.errors(include_input=False, include_url=False)[:3]
    return "; ".join(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in faults)
