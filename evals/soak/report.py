"""What a soak found, in lines that hold or do not, and as tables of `docs/reliability.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evals.markdown import table
from evals.soak.memory import MB, Sample, growth
from evals.soak.phases import Disturbed, Watched
from evals.soak.turn import Turn
from evals.soak.verdict import KINDS

MOST_MB_A_MINUTE: Final = 1.0
"""Of resident memory after the warm-up: issue 7."""
_EXPECTED: Final = {"thread_busy", "stopping"}
"""Refusals that a soak brings about: a run goes on that its asker left, or the server was told to stop."""


@dataclass(frozen=True)
class Line:
    """Something that must hold, and what was found."""

    name: str
    found: str
    held: bool


def lines(disturbed: Disturbed, watched: Watched | None) -> list[Line]:
    """Everything that must hold."""
    kinds = Counter(fault.kind for fault in disturbed.faults)
    refused = sorted({turn.refused for turn in disturbed.turns if turn.refused} - _EXPECTED)
    found = [_none(said, kinds[kind]) for kind, said in KINDS.items()]
    found += [
        _none("threads that a run still holds on the disk", disturbed.held),
        _none("SQLite files that fail `PRAGMA integrity_check`", len(disturbed.unsound)),
        _none("starts and ends of the server that went wrong", len(disturbed.wrong)),
        Line("kinds of refusal that nothing explains", ", ".join(refused) or "0", not refused),
        Line("times that the server was killed", str(disturbed.ends["SIGKILL"]), disturbed.ends["SIGKILL"] > 0),
        Line("accepted turns", f"{accepted(disturbed.turns):,}", accepted(disturbed.turns) > 0),
    ]
    if watched is not None:
        slope = growth(watched.samples)
        name = f"resident memory after the warm-up, MB a minute (under {MOST_MB_A_MINUTE:g})"
        found.append(Line(name, f"{slope:+.2f}", slope < MOST_MB_A_MINUTE))
    return found


def complaints(disturbed: Disturbed) -> Iterable[str]:
    """A sentence for each thing that is wrong."""
    yield from (f"{fault.kind}, thread {fault.thread_id}: {fault.sentence}" for fault in disturbed.faults)
    yield from disturbed.wrong
    yield from (f"{name}: {said}" for name, said in disturbed.unsound.items())


def counts(disturbed: Disturbed) -> dict[str, int]:
    """What was done to the server, by name."""
    turns = disturbed.turns
    left = [turn for turn in turns if turn.left]
    return {
        "questions sent": len(turns),
        "accepted, as their asker saw": accepted(turns),
        "answered to their asker": sum(turn.reply is not None for turn in turns),
        "left by their asker, to be cancelled": sum(turn.plan.on_disconnect == "cancel" for turn in left),
        "left by their asker, to go on": sum(turn.plan.on_disconnect == "continue" for turn in left),
        "of these come back to with `Last-Event-ID`": sum(turn.came_back for turn in left),
        "cut by an end of the server": sum(turn.broken for turn in turns),
        "refused, as the thread was busy": sum(turn.refused == "thread_busy" for turn in turns),
        "refused, as the server was stopping": sum(turn.refused == "stopping" for turn in turns),
        "threads": disturbed.threads,
        "SIGKILL": disturbed.ends["SIGKILL"],
        "SIGTERM": disturbed.ends["SIGTERM"],
    }


def accepted(turns: Sequence[Turn]) -> int:
    """How many of them."""
    return sum(turn.accepted for turn in turns)


def memory(watched: Watched) -> dict[str, str]:
    """How the memory grew, by name; halves show whether it levels off."""
    samples = watched.samples
    half = len(samples) // 2
    minutes = (samples[-1].at_s - samples[0].at_s) / 60
    asks = (samples[-1].asks - samples[0].asks) / minutes
    return {
        "warm-up, questions": f"{watched.warm_up_asks:,}",
        "warm-up, seconds": f"{watched.warm_up_s:,.0f}",
        "watched, seconds": f"{samples[-1].at_s - samples[0].at_s:,.0f}",
        "questions a minute meanwhile": f"{asks:,.0f}",
        "resident at the start and at the end, MB": f"{_mb(samples[0]):.1f}, {_mb(samples[-1]):.1f}",
        "growth, MB a minute": f"{growth(samples):+.2f}",
        "growth in the first half and in the second": f"{growth(samples[:half]):+.2f}, {growth(samples[half:]):+.2f}",
    }


def blocks(found: Sequence[Line], disturbed: Disturbed, watched: Watched | None, run: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by name."""
    held = [(line.name, line.found, "yes" if line.held else "**no**") for line in found]
    return {
        "soak-run": table(("", "value"), [(name, str(value)) for name, value in run.items()]),
        "soak-lines": table(("what must hold", "found", "held"), held),
        "soak-counts": table(("with kills", "count"), [(name, f"{n:,}") for name, n in counts(disturbed).items()]),
        "soak-memory": "Not measured."
        if watched is None
        else table(("memory", "figure"), list(memory(watched).items())),
    }


def _none(name: str, count: int) -> Line:
    return Line(name, str(count), count == 0)


def _mb(sample: Sample) -> float:
    return sample.resident / MB
