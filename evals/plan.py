"""What one measurement asks: which questions, in which positions, under their filters or not, how often."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Literal

from context.retrieval import Principal
from evals import fingerprint
from evals.modes import Position, plain
from evals.record import Key
from evals.sets import Case, QuestionSet

Filters = Literal["with", "without", "both"]
"""Questions that name a filter are asked under it, as if they named none, or once each way."""

_UNDER: Final[Mapping[Filters, tuple[bool, ...]]] = {"with": (True,), "without": (False,), "both": (False, True)}


@dataclass(frozen=True)
class Planned:
    """One ask."""

    case: Case
    position: str
    filtered: bool
    repeat: int
    key: Key


@dataclass(frozen=True)
class Plan:
    """A set and how it is asked; `position` is what each of the names in `positions` stands for.

    `settings` and `knowledge` are the fingerprints of `evals/record.py`.
    """

    asked: QuestionSet
    positions: tuple[str, ...]
    settings: str
    knowledge: str
    filters: Filters = "with"
    budget: Mapping[str, Any] = field(default_factory=dict)
    repeat: int = 1
    seed: int = 0
    at_once: int = 3
    asker: Principal = field(default_factory=Principal)
    position: Callable[[str], Position] = plain

    @property
    def name(self) -> str:
        """The set's, whichever half of it is asked."""
        return self.asked.name.partition(",")[0]

    def batches(self) -> Iterator[list[Planned]]:
        """All asks; those of a batch may share what is held open, which is a position's once."""
        for position in self.positions:
            for repeat in range(self.repeat):
                yield list(self._batch(position, repeat))

    def _batch(self, position: str, repeat: int) -> Iterator[Planned]:
        for case in self.asked.asked:
            for filtered in dict.fromkeys(under and bool(case.filter) for under in _UNDER[self.filters]):
                yield Planned(case, position, filtered, repeat, self._key(case, position, filtered, repeat))

    def _key(self, case: Case, position: str, filtered: bool, repeat: int) -> Key:
        name = fingerprint.of(asdict(case))
        return Key(self.name, case.id, position, filtered, self.settings, self.knowledge, name, self.seed, repeat)


def sample(asked: QuestionSet, limit: int | None, seed: int = 0) -> QuestionSet:
    """That many of the questions, the same ones for the same seed, in their order."""

    def drawn(case: Case) -> bytes:
        return sha256(f"{seed}:{case.id}".encode()).digest()

    if limit is None or limit >= len(asked.asked):
        return asked
    kept = {case.id for case in sorted(asked.asked, key=drawn)[:limit]}
    return replace(asked, asked=tuple(case for case in asked.asked if case.id in kept))
