"""Where a number is from: the command that measured it, its seed, and the versions of what answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evals.bootstrap import LEVEL, RESAMPLES, SEED
from evals.record import Record

INTERVALS = f"intervals: {LEVEL:.0%}, {RESAMPLES:,} bootstrap resamples of the questions, seed {SEED}"


def source(records: Iterable[Record], command: str, versions: Mapping[str, Any]) -> str:
    """One line. `versions` are those of `evals.versions.versions` when the records were made."""
    known = list(records)
    facts = [
        command,
        f"seed {_all(record.seed for record in known)}",
        f"code {_all(record.code for record in known)}",
        f"settings {_all(record.settings for record in known)}",
        f"documents {_all(record.knowledge for record in known)}",
        f"gapseek {_all(record.version for record in known)}",
        _reasoners(known),
        told(versions),
        INTERVALS,
    ]
    return "; ".join(fact for fact in facts if fact) + "."


def _all(values: Iterable[object]) -> str:
    return " and ".join(sorted({str(value) for value in values if value != ""})) or "not recorded"


def _reasoners(records: list[Record]) -> str:
    """Rules are no model: who reads a figure must see which of them answered."""
    names = {record.reasoner for record in records if record.reasoner}
    told = [f"{name} (rules, no model)" if name.startswith("offline") else name for name in sorted(names)]
    return f"reasoner {' and '.join(told)}" if told else ""


def told(versions: Mapping[str, Any]) -> str:
    """Python, its main packages and the kind of machine, on one line; nothing where they were not recorded."""
    if not versions:
        return ""
    packages = ", ".join(f"{name} {version}" for name, version in versions.get("packages", {}).items())
    machine = f"Python {versions['python']}, {versions['processors']} processors, {versions['system']}"
    return f"{machine}, {packages}" if packages else machine
