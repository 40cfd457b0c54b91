"""What a report says of records: the sections of each part of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evals.compare import Comparison, beside, by_kind
from evals.ladder import ABLATIONS, ladder
from evals.modes import LOOP
from evals.pairing import Group, Part, parts, shared
from evals.record import Record
from evals.report import findings, pictures, plots, tables
from evals.report.blocks import Block, Plot, Report, Section, Text
from evals.report.source import source
from evals.sweep import sweep
from evals.variants import variant

BASES: Final = ("hybrid", "first_round", "one_pass", "bm25", "naive")
"""What modes are compared with, the first of these that was asked: one good pass."""


@dataclass(frozen=True)
class Found:
    """A section and the sentences that it comes down to."""

    section: Section
    sentences: tuple[str, ...] = ()


def report(records: Sequence[Record], command: str, versions: Mapping[str, Any], title: str = "Gapseek eval") -> Report:
    """All parts of the records, at least one record; without matplotlib there are no pictures, and it says so."""
    several = len(parts(records)) > 1
    found = [one for part in parts(records) for one in _sections(part, command, versions, named=several)]
    return Report(
        title=title,
        sections=tuple(one.section for one in found if one.section.blocks),
        findings=tuple(sentence for one in found for sentence in one.sentences),
        source=source(records, command, versions),
        warnings=() if plots.installed() else (plots.NOT_INSTALLED,),
    )


def base_of(modes: Sequence[str]) -> str:
    """The mode that others are compared with."""
    return next((mode for mode in BASES if mode in modes), modes[0])


def _sections(part: Part, command: str, versions: Mapping[str, Any], *, named: bool) -> Iterator[Found]:
    said = source(part.records, command, versions)
    before = f"{part.name} (settings {part.settings or 'not recorded'}): " if named else ""
    for title, found in (
        ("Modes", _modes(part, said)),
        ("Ladder: what each part adds", _ladder(part, said)),
        ("Ablation: what each part is worth", _ablation(part, said)),
        ("Sweep of threshold and retries", _sweep(part, said)),
    ):
        blocks, sentences = found
        heading = f"{before}{title}"
        yield Found(Section(heading, tuple(blocks)), tuple(f"{before}{sentence}" for sentence in sentences))


Told = tuple[list[Block], list[str]]


def _modes(part: Part, said: str) -> Told:
    """The modes that a caller could ask in, over the questions that all of them were asked."""
    names = [mode for mode in dict.fromkeys(r.mode for r in part.records) if _plain(mode)]
    asked = shared(part.records, names)
    if not asked or not next(iter(asked.values())):
        return [], []
    blocks: list[Block] = [tables.modes(asked, said)]
    blocks += _drawn(pictures.against_cost, asked, said)
    over_all, over_kinds = _compared(part, names)
    if over_all:
        blocks.append(tables.comparisons(over_all, f"Beside {over_all[0].base}", said))
    blocks += _by_kind(asked, over_kinds, said)
    ended = any(record.error is None for groups in asked.values() for group in groups for record in group)
    blocks += _drawn(pictures.latencies, asked, said) if ended else []
    blocks += [tables.stops(asked, said), tables.differing(asked, said)]
    return blocks, [*findings.gains(over_all), *findings.hidden(over_kinds)]


def _compared(part: Part, names: Sequence[str]) -> tuple[list[Comparison], list[Comparison]]:
    plain = [record for record in part.records if record.mode in names]
    base = base_of(names)
    return beside(plain, base), by_kind(plain, base)


def _by_kind(asked: Mapping[str, Sequence[Group]], found: Sequence[Comparison], said: str) -> list[Block]:
    if len({group[0].kind for groups in asked.values() for group in groups}) < 2:
        return []
    blocks: list[Block] = [tables.kinds(asked, said)]
    blocks += _drawn(pictures.kinds, asked, said)
    return [*blocks, tables.comparisons(found, f"Beside {found[0].base}, by kind", said)] if found else blocks


def _ladder(part: Part, said: str) -> Told:
    if (whole := ladder(part.records)) is None:
        return [], []
    kinds = sorted({record.kind for record in part.records})
    each = [found for kind in kinds if len(kinds) > 1 and (found := ladder(part.records, kind))]
    by_kinds = [Text(f"{found.kind or 'no kind'}: {found.sentence}") for found in each]
    missing = [Text(f"Not measured: {', '.join(whole.missing)}.")] if whole.missing else []
    return [tables.rungs(whole, said), *missing, *by_kinds], [whole.sentence]


def _ablation(part: Part, said: str) -> Told:
    wanted = [record for record in part.records if record.mode in (LOOP, *ABLATIONS)]
    found = beside(wanted, LOOP)
    if not found:
        return [], []
    over_kinds = by_kind(wanted, LOOP)
    blocks: list[Block] = [Text(_taken_out({comparison.other for comparison in found}))]
    blocks.append(tables.comparisons(found, "The loop without one part, beside the whole loop", said))
    blocks += [tables.comparisons(over_kinds, "The same by kind", said)] if over_kinds else []
    return blocks, findings.gains(found)


def _taken_out(measured: Collection[str]) -> str:
    told = [f"{mode}: without {what}" for mode, what in ABLATIONS.items() if mode in measured]
    missing = [f"not measured: {what}" for mode, what in ABLATIONS.items() if mode not in measured]
    return "; ".join([*told, *missing]) + "."


def _sweep(part: Part, said: str) -> Told:
    found = sweep(part.records)
    if found is None:
        return [], []
    drawn = _drawn(pictures.curves, found, said)
    return [*drawn, tables.points(found, said)], [findings.knee(found)]


def _plain(mode: str) -> bool:
    return variant(mode).plain


def _drawn(draw: Callable[[Any, str], Plot], of: Any, said: str) -> list[Plot]:
    """The picture, or none where it cannot be drawn."""
    return [draw(of, said)] if plots.installed() else []
