"""Does a passage speak of another model, place or year than the one that the question names?

Its likeness to the question then says nothing: neighbours are worded alike. Silence contradicts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from policy.other_code import other_code
from policy.other_period import other_period
from policy.other_place import other_place
from policy.other_year import other_year
from state import Language

CAP: Final = 0.49
"""The highest grade of a passage that contradicts what the question names (DESIGN, section 3)."""


@dataclass(frozen=True)
class Described:
    """A passage, the path of headings above it, and what its document says of itself."""

    title: str
    heading: str
    text: str
    metadata: Mapping[str, Any]


_REASONS: Final[dict[Language, dict[str, str]]] = {
    "zh": {
        "code": "所述为 {found}，而不是所问的 {asked}",
        "place": "属于{found}的文件，而不是所问的{asked}",
        "year": "属于 {found} 年，而不是所问的 {asked}",
    },
    "en": {
        "code": "speaks of {found}, not of {asked}, which is asked about",
        "place": "belongs to {found}, not to {asked}, which is asked about",
        "year": "is of {found}, not of {asked}, which is asked about",
    },
}


def contradiction(sub_question: str, question: str, passage: Described, language: Language) -> str | None:
    """Why the passage cannot answer the sub-question, in a sentence; None when nothing contradicts.

    What the sub-question names counts, and of what it leaves open (no place, no code of that family) what the whole
    question names.
    """
    for kind, found in _found(sub_question, question, passage):
        if found is not None:
            told, asked = found
            return _REASONS[language][kind].format(found=told, asked=asked)
    return None


def _found(sub_question: str, question: str, passage: Described) -> Iterator[tuple[str, tuple[str, str] | None]]:
    title, heading, metadata = passage.title, passage.heading, passage.metadata
    yield "code", other_code(sub_question, question, passage.text, title, heading, metadata)
    yield "place", other_place(sub_question, question, title, heading, metadata)
    yield "year", other_year(sub_question, question, title, metadata)
    yield "year", other_period(sub_question, question, passage.text, title, heading, metadata)
