"""The prompts: Markdown files of the same stem as their node, one a language, filled with named blocks.

A file holds one or more cases, each a `# System` and a `# User` section; `# System: <case>` where there are more.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Template

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from state import Language

_HEADING = re.compile(r"^# (System|User)(?:: (.+))?$", re.MULTILINE)


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


@lru_cache
def load(stem: str, language: Language, case: str = "") -> Prompt:
    """The prompt of a node; `case` is the word after the colon in its headings."""
    return parsed(_read(f"{stem}.{language}.md"), case)


def parsed(markdown: str, case: str = "") -> Prompt:
    """One case of a prompt's file, for those that keep theirs elsewhere."""
    sections = _sections(markdown)
    return Prompt(system=sections["System", case], user=sections["User", case])


@lru_cache
def fingerprint() -> str:
    """Eight hex digits that change with any prompt, so that a replay can say that prompts differ."""
    folder = files(__package__) / "prompts"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".md"))
    return hashlib.sha256("\0".join(name + "\0" + _read(name) for name in names).encode()).hexdigest()[:8]


def _read(name: str) -> str:
    return (files(__package__) / "prompts" / name).read_text(encoding="utf-8")


def _sections(markdown: str) -> dict[tuple[str, str], str]:
    _, *parts = _HEADING.split(markdown)
    return {
        (role, case or ""): body.strip() for role, case, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }
