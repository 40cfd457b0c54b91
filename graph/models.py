"""The reasoners of a deployment by the names that a replay may choose: its own, the offline one, and further models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from context.reasoning import Reasoner
from context.run import Windows
from errors import BadRequest

DEFAULT: Final = "default"
OFFLINE: Final = "offline"


@dataclass(frozen=True)
class Thinking:
    """A reasoner, and the windows of the models behind it."""

    reasoner: Reasoner
    windows: Windows = field(default_factory=Windows)


@dataclass(frozen=True)
class Models:
    """`further` are made when they are first asked for: a client takes seconds to import."""

    further: Mapping[str, Callable[[], Thinking]] = field(default_factory=dict)

    def named(self, name: str, own: Thinking) -> Thinking:
        """Raises `BadRequest` for a name that is not configured; `default` is the deployment's own."""
        if name == DEFAULT:
            return own
        if name not in self.further:
            raise BadRequest(f"There is no model of this name; there are {', '.join([DEFAULT, *self.further])}.")
        return self.further[name]()
