"""The prompt sets of a deployment: the built-in one, the default, and further ones, by names that settings give."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from context.reasoning import Reasoner
from errors import BadRequest, Conflict
from policy.budget import PROMPT_TOKENS
from reasoner.prompt_check import advice
from reasoner.prompt_set import Prompted, PromptSet, built_in, read_set
from settings import Settings

DEFAULT: Final = "default"
NO_PROMPTS: Final = "The offline reasoner works without prompts, so no set of them can be chosen."

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PromptSets:
    """Every set of a deployment, by name; `default` is what runs go by unless another is chosen."""

    default: PromptSet = field(default_factory=built_in)
    further: tuple[PromptSet, ...] = ()

    def all(self) -> dict[str, PromptSet]:
        """All sets by the name that chooses them."""
        named = {one.name: one for one in (built_in(), *self.further)}
        return {DEFAULT: self.default, **named}

    def named(self, name: str) -> PromptSet:
        """Raises `BadRequest` for a name that is not configured."""
        found = self.all()
        if name not in found:
            raise BadRequest(f"There is no prompt set of this name; there are {', '.join(found)}.")
        return found[name]


def open_prompts(settings: Settings) -> PromptSets:
    """Read and check every configured set.

    Raises `BadRequest`, which names setting, file, section and what is missing, when one cannot be used.
    """
    chosen = settings.prompts
    default = read_set(DEFAULT, chosen.folder, "GAPSEEK_PROMPTS__FOLDER") if chosen.folder else built_in()
    further = (read_set(name, folder, f"GAPSEEK_PROMPTS__SETS, {name}") for name, folder in chosen.sets.items())
    return PromptSets(default, tuple(further))


def told(sets: PromptSets) -> None:
    """Log what is unwise in the sets, once at the start."""
    for one in sets.all().values():
        for sentence in unwise(one):
            _log.warning("Prompt set %s: %s", one.name, sentence)


def unwise(prompts: PromptSet) -> Iterator[str]:
    """What a set's own files can be used with, but better were not."""
    for file in sorted(prompts.own):
        yield from advice(file, prompts.texts[file], PROMPT_TOKENS)


def by_prompts(reasoner: Reasoner, prompts: PromptSet) -> Reasoner:
    """The same reasoner by other prompts, for one run. Raises `BadRequest` for a reasoner that works without any."""
    if not isinstance(reasoner, Prompted):
        raise BadRequest(NO_PROMPTS)
    return reasoner.with_prompts(prompts)


def export(folder: Path, names: Sequence[str] = ()) -> list[Path]:
    """Write these built-in prompts, or all, into a folder, which is made.

    Raises `Conflict` where one of the files exists.
    """
    written = {folder / name: built_in().texts[name] for name in names or sorted(built_in().texts)}
    if there := sorted(path.name for path in written if path.exists()):
        raise Conflict(f"The folder has {', '.join(there)} already; nothing was written.")
    folder.mkdir(parents=True, exist_ok=True)
    for path, markdown in written.items():
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(markdown)
    return list(written)
