"""Records of `evals.answers` as results to keep, and kept results as the tables of a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from typing import Any, Final

from evals import answers_tables as tables
from evals.bench.kept import environment
from evals.modes import LOOP
from evals.outcome import Abstention, Outcome, Paired, outcome, paired
from evals.record import Record
from evals.scores import looked_for
from evals.sets import is_even

HALVES: Final = ("even half", "odd half")


def report(records: Iterable[Record]) -> dict[str, Any]:
    """Plain JSON: outcomes of all questions, and of the loop by half and by kind; the loop beside each other mode.

    Small talk is left out: it is neither answered from documents nor refused.
    """
    groups = _grouped(looked_for(records))
    loops = [group for group in groups if group[0].mode == LOOP]
    return {
        "code": sorted({record.code for group in groups for record in group}),
        "environment": environment(),
        "outcomes": [asdict(outcome(group)) for group in groups],
        "halves": [asdict(found) for group in loops for found in _halves(group)],
        "kinds": [asdict(found) for group in loops for found in _kinds(group)],
        "pairs": [asdict(found) for group in loops for found in _pairs(group, groups)],
    }


def blocks(kept: dict[str, Any]) -> dict[str, str]:
    """Every table of the page by the name of its place."""
    outcomes, halves, kinds = ([_outcome(found) for found in kept[part]] for part in ("outcomes", "halves", "kinds"))
    pairs = [Paired(**{**pair, "modes": tuple(pair["modes"])}) for pair in kept["pairs"]]
    return {
        "environment": _ran_on(kept),
        "statuses": tables.statuses(outcomes),
        "abstention": tables.abstention([o for o in outcomes if o.unanswerable]),
        "halves": tables.halves(halves),
        "answers": tables.answers(outcomes),
        "gain": tables.gain(pairs),
        "effort": tables.effort(outcomes),
        "stops": tables.stops(outcomes),
        "wrong-stops": tables.wrong_stops(outcomes),
        "quotes": tables.quotes(outcomes),
        "look-alikes": tables.look_alikes(outcomes),
        "kinds": tables.kinds(kinds),
        "sources": "\n".join(f"* {source}" for source in kept.get("sources", ())),
    }


def _ran_on(kept: dict[str, Any]) -> str:
    on = kept["environment"]
    packages = ", ".join(f"{name} {version}" for name, version in on["packages"].items())
    machine = f"Python {on['python']}, {on['processors']} processors, {on['system']}"
    return f"Code {', '.join(kept['code'])}; {machine}; {packages}."


def _grouped(records: Iterable[Record]) -> list[list[Record]]:
    """The records of each set, filter and mode, the sets in the order in which they were asked."""
    found = list(records)
    order = {name: place for place, name in enumerate(dict.fromkeys(record.set for record in found))}

    def key(record: Record) -> tuple[int, bool]:
        return order[record.set], record.filtered

    by_set = groupby(sorted(found, key=key), key)
    return [list(group) for _, asked in by_set for group in _by_mode(asked)]


def _by_mode(records: Iterable[Record]) -> Iterator[list[Record]]:
    """In the order in which the modes were asked."""
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(record.mode, []).append(record)
    yield from found.values()


def _halves(records: list[Record]) -> Iterator[Outcome]:
    """Of a set without questions that have no answer there is nothing to tell."""
    if all(record.answerable for record in records) or records[0].filtered:
        return
    for name, even in zip(HALVES, (True, False), strict=True):
        if part := [record for record in records if is_even(record.id) is even]:
            yield outcome(part, name)


def _kinds(records: list[Record]) -> Iterator[Outcome]:
    kinds = sorted({record.kind for record in records})
    if len(kinds) > 1:
        yield from (outcome([record for record in records if record.kind == kind], kind) for kind in kinds)


def _pairs(loop: list[Record], groups: list[list[Record]]) -> Iterator[Paired]:
    for other in groups:
        same = (other[0].set, other[0].filtered) == (loop[0].set, loop[0].filtered)
        if same and other[0].mode != LOOP and (found := paired(loop, other)):
            yield found


def _outcome(kept: dict[str, Any]) -> Outcome:
    return Outcome(**{**kept, "abstention": Abstention(**kept["abstention"])})
