"""The same questions asked in several ways: only those that were asked in each of them are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evals import verdicts
from evals.record import Record

Group = tuple[Record, ...]
"""One question in one mode: all its repeats, at least one."""
Asked = tuple[str, str, bool, str, str]
"""Set, question, whether under its filter, and the fingerprints of the documents and of what is wanted."""


def right(group: Group) -> float:
    """The share of the repeats that are right."""
    return fmean(map(verdicts.right, group))


def share_right(groups: Sequence[Group]) -> float:
    """The mean over questions; however often each was repeated, it counts once."""
    return fmean(map(right, groups))


def of_kind(groups: Iterable[Group], kind: str) -> list[Group]:
    """The questions of one kind."""
    return [group for group in groups if group[0].kind == kind]


@dataclass(frozen=True)
class Part:
    """What may be compared: records of one set under the same settings and budget.

    `filtered` is None where no question was asked both under its filter and without it; else each way is a part.
    """

    set: str
    settings: str
    filtered: bool | None
    records: tuple[Record, ...]

    @property
    def name(self) -> str:
        """The set, and how its questions were asked if that needs telling."""
        return (
            self.set if self.filtered is None else f"{self.set}, {'under' if self.filtered else 'without'} the filter"
        )


def parts(records: Iterable[Record]) -> list[Part]:
    """In the order in which the sets were asked."""
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        found.setdefault((record.set, record.settings), []).append(record)
    return [Part(*key, filtered, tuple(part)) for key, of in found.items() for filtered, part in _ways(of)]


def _ways(records: list[Record]) -> list[tuple[bool | None, list[Record]]]:
    ways = [{record.id for record in records if record.filtered is filtered} for filtered in (False, True)]
    if not ways[0] & ways[1]:
        return [(None, records)]
    return [(filtered, [r for r in records if r.filtered is filtered]) for filtered in (False, True)]


def by_mode(records: Iterable[Record]) -> dict[str, dict[Asked, Group]]:
    """The questions of each mode, in the order in which the modes were asked."""
    found: dict[str, dict[Asked, Group]] = {}
    for record in records:
        mode = found.setdefault(record.mode, {})
        asked = (record.set, record.id, record.filtered, record.knowledge, record.asked)
        mode[asked] = (*mode.get(asked, ()), record)
    return found


def shared(records: Iterable[Record], modes: Sequence[str]) -> Mapping[str, list[Group]]:
    """Each of the modes with the questions that all of them were asked, in one order.

    Modes that were not asked at all are absent.
    """
    found = {mode: asked for mode, asked in by_mode(records).items() if mode in modes}
    common = sorted(set.intersection(*(set(asked) for asked in found.values()))) if found else []
    return {mode: [found[mode][asked] for asked in common] for mode in modes if mode in found}
