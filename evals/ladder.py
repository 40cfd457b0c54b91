"""What each part adds to the one below it, on the same questions and budget, and where adding stops paying."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from evals.compare import Comparison, compared, family
from evals.measure import ALL
from evals.pairing import Group, share_right, shared
from evals.record import Record
from evals.variants import FEEDBACK, QUESTION, RERANK, Variant

RUNGS: Final[dict[str, str]] = {
    "hybrid": "one pass",
    "self_query": "+ rewrite",
    Variant("loop", (FEEDBACK,), (("max_retries", 1),)).name: "+ a fixed second search",
    "loop": "+ gap feedback",
    "agent": "+ agent tools",
}
"""Each rung's variant and what it adds. The second search is made where the first did not suffice."""
LEAST: Final = 3
ABLATIONS: Final[dict[str, str]] = {
    Variant("loop", (QUESTION,)).name: "the asker's own words as a query",
    Variant("loop", (FEEDBACK,)).name: "feedback from gaps",
    Variant("loop", (RERANK,)).name: "rerank",
}
"""The loop without one part, and what that part is."""


@dataclass(frozen=True)
class Rung:
    """`step` is this rung beside the highest one below it that gained for certain; None for the lowest."""

    mode: str
    label: str
    questions: int
    right: float
    step: Comparison | None


@dataclass(frozen=True)
class Ladder:
    """`stops_at` is the highest rung that is right more often, beyond chance, than what it was built on."""

    kind: str
    rungs: tuple[Rung, ...]
    stops_at: str

    @property
    def missing(self) -> list[str]:
        """What was not measured: a rung above it adds that too."""
        measured = {rung.mode for rung in self.rungs}
        return [label for mode, label in RUNGS.items() if mode not in measured]

    @property
    def sentence(self) -> str:
        """Where the gain stops, in words that do not make more of it than was measured."""
        lowest, top = self.rungs[0].label, self.rungs[-1].label
        if self.stops_at == top:
            return f"The gain goes on to the highest rung that was measured, “{top}”."
        if self.stops_at == lowest:
            return f"No rung is right more often than “{lowest}” beyond chance: the gain stops there."
        return f"The gain stops at “{self.stops_at}”: nothing above it is right more often beyond chance."


def ladder(records: Iterable[Record], kind: str = ALL) -> Ladder | None:
    """The rungs that were measured, over the questions (of one kind) that all of them were asked.

    The records are a part's. None with fewer than three rungs, which are no ladder, or without a common question.
    """
    wanted = [record for record in records if kind in (ALL, record.kind)]
    asked = shared(wanted, tuple(RUNGS))
    if len(asked) < LEAST or not all(asked.values()):
        return None
    rungs, best = _climbed(asked, kind)
    return Ladder(kind, rungs, RUNGS[best])


def _climbed(asked: Mapping[str, list[Group]], kind: str) -> tuple[tuple[Rung, ...], str]:
    """The rungs, and the highest that gained. Any two rungs may come to be compared, so all of them are counted."""
    pairs = family(compared(asked[low], asked[high], kind) for low, high in combinations(asked, 2))
    steps = {(pair.base, pair.other): pair for pair in pairs}
    best, *higher = asked
    rungs = [Rung(best, RUNGS[best], len(asked[best]), share_right(asked[best]), None)]
    for mode in higher:
        step = steps[best, mode]
        rungs.append(Rung(mode, RUNGS[mode], len(asked[mode]), share_right(asked[mode]), step))
        best = mode if step.certain else best
    return tuple(rungs), best
