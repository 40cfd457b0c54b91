"""What the records of `gapseek eval` come down to, as plain JSON: the pages on modes are written from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from errors import BadRequest
from evals import again
from evals.bootstrap import mean_interval
from evals.choice import choose
from evals.commit import commit
from evals.compare import beside
from evals.pairing import Group, Part, parts, right, shared
from evals.record import Record
from evals.report.content import base_of
from evals.report.source import source
from evals.report.write import command, read
from evals.scores import has_gold, has_references, scores
from evals.variants import variant
from runs.engine import MODES

KEPT: Final = Path("docs/measured-modes.json")
LABELS: Final[Mapping[str, Callable[[Record], bool]]] = {
    "with gold": has_gold,
    "with points": lambda record: record.answerable and bool(record.points),
    "with reference answers": has_references,
    "without an answer": lambda record: record.needs_lookup and not record.answerable,
    "of small talk": lambda record: not record.needs_lookup,
}
"""What the questions of a set have that figures are measured by."""


def measured(folder: Path) -> list[dict[str, Any]]:
    """What the records of a folder say of its modes, a set each. Raises `BadRequest` without records."""
    kept, records = read(folder)
    return [_set(part, kept) for part in parts(records)]


def _set(part: Part, kept: Mapping[str, Any]) -> dict[str, Any]:
    names = [mode for mode in dict.fromkeys(record.mode for record in part.records) if variant(mode).plain]
    asked = shared(part.records, names)
    if not any(asked.values()):
        raise BadRequest(f"No question of {part.name} was asked in all of its modes: run that eval to its end.")
    records = [record for groups in asked.values() for group in groups for record in group]
    offered: Mapping[str, Sequence[Group]] = {name: asked[name] for name in names if name in MODES} or asked
    choice, base = choose(offered), base_of(names)
    first = asked[base]
    return {
        "set": part.name,
        "source": source(records, command(kept), kept.get("versions", {})),
        "commit": kept.get("commit") or _commit(records),
        "rules": all(record.reasoner.startswith("offline") for record in records),
        "questions": len(first),
        "labels": {name: sum(has(group[0]) for group in first) for name, has in LABELS.items()},
        "choice": choice.mode,
        "beaten": {mode: pair.base if pair.certainly_worse else pair.other for mode, pair in choice.beaten.items()},
        "modes": [_mode(mode, groups) for mode, groups in asked.items()],
        "beside": [asdict(found) for found in beside([r for r in records if r.mode in offered], base)],
        "again": [asdict(found) for found in again.overall(records)],
        "kinds": [asdict(found) for found in again.by_kind(records)],
    }


def _commit(records: Iterable[Record]) -> str | None:
    codes = {record.code for record in records}
    return commit(codes.pop()) if len(codes) == 1 else None


def _mode(mode: str, groups: Sequence[Group]) -> dict[str, Any]:
    records = [record for group in groups for record in group]
    found = scores(records)
    return {
        "mode": mode,
        "right": asdict(mean_interval([right(group) for group in groups])),
        "quality": found["quality"],
        "effort": found["effort"],
        "input_tokens": fmean(record.input_tokens for record in records),
        "output_tokens": fmean(record.output_tokens for record in records),
        "time": found["time"]["whole"],
    }
