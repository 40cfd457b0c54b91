"""Which records stand together in a row of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evals.measure import ALL
from evals.record import Record


@dataclass(frozen=True)
class Group:
    """The records of one set, position and kind; `filtered` is None where each question was asked in one way only."""

    set: str
    mode: str
    kind: str
    filtered: bool | None
    records: tuple[Record, ...]


def groups(records: Iterable[Record]) -> list[Group]:
    """Of each set and position, in the order in which they were asked: all questions, then each kind if several."""
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        found.setdefault((record.set, record.mode), []).append(record)
    return [
        one
        for (name, mode), of_mode in found.items()
        for filtered, part in _parts(of_mode)
        for one in _kinds(Group(name, mode, ALL, filtered, tuple(part)))
    ]


def _parts(records: list[Record]) -> list[tuple[bool | None, list[Record]]]:
    """All together, or, where any question was asked both ways, each way for itself."""
    ways = {filtered: {r.id for r in records if r.filtered is filtered} for filtered in (False, True)}
    if not ways[False] & ways[True]:
        return [(None, records)]
    return [(filtered, [r for r in records if r.filtered is filtered]) for filtered in (False, True)]


def _kinds(whole: Group) -> list[Group]:
    kinds = sorted({record.kind for record in whole.records})
    if len(kinds) < 2:
        return [whole]
    parts = ((kind, tuple(record for record in whole.records if record.kind == kind)) for kind in kinds)
    return [whole, *(Group(whole.set, whole.mode, kind, whole.filtered, part) for kind, part in parts)]
