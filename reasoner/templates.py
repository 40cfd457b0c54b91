"""What a prompt file holds: cases of a node's prompt, filled with named blocks.

A case is a `# System` and a `# User` section; `# System: <case>` where a file has more than one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Final, NamedTuple, get_args

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from state import Language

NEEDED: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "route": {"": frozenset({"history", "question"})},
    "rewrite": {
        "first round": frozenset({"history", "question"}),
        "later round": frozenset({"history", "found", "conflicts", "tried", "checklist", "gaps", "question"}),
    },
    "evaluate": {"": frozenset({"passages", "question", "checklist"})},
    "generate": {
        "cited": frozenset({"history", "passages", "conflicts", "checklist", "gaps", "standalone", "question"}),
        "direct": frozenset({"history", "route_reason", "question"}),
    },
    "agent": {
        "choose": frozenset({"steps", "conflicts", "checklist", "gaps", "suggested", "left", "question"}),
        "summarize": frozenset({"passages", "question"}),
    },
    "extract": {"": frozenset({"title", "document", "fields"})},
}
"""The placeholders of every case of every prompt that is filled in; "" is the case of a file with only one."""

_HEADING = re.compile(r"^# (System|User)(?:: *(.+?))?[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """One case of one node's prompt. Only the user part has placeholders, so that endpoints can cache the other."""

    system: str
    user: str

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(Template(self.user).get_identifiers())

    def fill(self, **blocks: str) -> list[BaseMessage]:
        """The messages to send. Raises `ValueError` unless exactly the placeholders are given."""
        if blocks.keys() != self.placeholders:
            raise ValueError(f"the prompt has {sorted(self.placeholders)}, not {sorted(blocks)}")
        return [SystemMessage(self.system), HumanMessage(Template(self.user).substitute(blocks))]


class Section(NamedTuple):
    """One section of a file: `System` or `User`, its case, and its text."""

    role: str
    case: str
    body: str

    @property
    def heading(self) -> str:
        return f"# {self.role}: {self.case}" if self.case else f"# {self.role}"


def file_names() -> list[str]:
    """The files of a whole set."""
    return [f"{stem}.{language}.md" for stem in NEEDED for language in get_args(Language)]


def sections(markdown: str) -> tuple[str, list[Section]]:
    """What stands before the first heading, and the sections in order."""
    before, *parts = _HEADING.split(markdown)
    found = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return before.strip(), [Section(role, case or "", body.strip()) for role, case, body in found]


def cases(markdown: str) -> dict[str, Prompt]:
    """The prompts of a file that was found to be whole, by case."""
    bodies = {(section.role, section.case): section.body for section in sections(markdown)[1]}
    return {case: Prompt(body, bodies["User", case]) for (role, case), body in bodies.items() if role == "System"}
