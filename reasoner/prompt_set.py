"""A whole set of prompts under one name: the built-in files, or some of them replaced from a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from context.reasoning import Reasoner
from errors import BadRequest
from reasoner.prompt_check import problems
from reasoner.prompt_folder import texts_in
from reasoner.templates import Prompt, cases, file_names
from state import Language

BUILT_IN: Final = "built-in"
TOLD: Final = 5
"""Problems that one error tells; more are counted."""


@dataclass(frozen=True)
class PromptSet:
    """Markdown by file name, all of it; `own` names the files that are not the built-in ones."""

    name: str
    texts: Mapping[str, str]
    own: frozenset[str] = frozenset()

    def get(self, stem: str, language: Language, case: str = "") -> Prompt:
        """The prompt of a node; `case` is the word after the colon in its headings."""
        return self._prompts[stem, language, case]

    @cached_property
    def fingerprint(self) -> str:
        """Eight hex digits that change with any prompt, so that a replay can say that prompts differ."""
        whole = "\0".join(f"{name}\0{self.texts[name]}" for name in sorted(self.texts))
        return hashlib.sha256(whole.encode()).hexdigest()[:8]

    @cached_property
    def _prompts(self) -> dict[tuple[str, str, str], Prompt]:
        filled: dict[tuple[str, str, str], Prompt] = {}
        for name, markdown in self.texts.items():
            stem, language, _ = name.split(".")
            filled |= {(stem, language, case): prompt for case, prompt in cases(markdown).items()}
        return filled


@runtime_checkable
class Prompted(Protocol):
    """A reasoner that works by prompts, and so by other prompts too."""

    def with_prompts(self, prompts: PromptSet) -> Reasoner: ...


@cache
def built_in() -> PromptSet:
    """The prompts that the package brings."""
    folder = files(__package__) / "prompts"
    return PromptSet(BUILT_IN, {name: (folder / name).read_text(encoding="utf-8") for name in file_names()})


def read_set(name: str, folder: Path, setting: str) -> PromptSet:
    """The set with what stands in a folder; what does not is built in.

    Raises `BadRequest`, which begins with the setting that names the folder, when any of it cannot be used.
    """
    own, wrong = texts_in(folder)
    wrong += [problem for file, markdown in own.items() for problem in problems(file, markdown)]
    if wrong:
        more = f" There are {len(wrong) - TOLD} more." if len(wrong) > TOLD else ""
        raise BadRequest(f"{setting}: {' '.join(wrong[:TOLD])}{more}", code="bad_prompts")
    return PromptSet(name, {**built_in().texts, **own}, frozenset(own))
