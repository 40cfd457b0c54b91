"""The figures of a group of records: how good the answers are, what they took, how asks ended.

The records of a group are of one set and one position; each figure is over those that it says something of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, Final

from evals import finding, verdicts
from evals.latency import percentiles
from evals.outcome import NO_REASON, abstention
from evals.overlap import contains, exact_match, point_recall, token_f1
from evals.record import Record
from evals.spread import spread

Records = Sequence[Record]
Figure = Callable[[Records], float | None]


def mean(of: Callable[[Record], float | None], where: Callable[[Record], Any]) -> Figure:
    """The mean over the records that hold `where`, less those of which it says nothing."""

    def figure(records: Records) -> float | None:
        values = [value for record in records if where(record) and (value := of(record)) is not None]
        return fmean(values) if values else None

    return figure


def share(holds: Callable[[Record], bool], where: Callable[[Record], Any]) -> Figure:
    return mean(lambda record: float(holds(record)), where)


def looked_for(records: Iterable[Record]) -> list[Record]:
    """Those that ask for a look-up: small talk is neither answered from documents nor refused."""
    return [record for record in records if record.needs_lookup]


def everywhere(record: Record) -> bool:
    return True


def has_gold(record: Record) -> bool:
    return record.answerable and bool(record.gold)


def has_references(record: Record) -> bool:
    return record.answerable and bool(record.references)


QUALITY: Final[Mapping[str, Figure]] = {
    "right": share(verdicts.right, everywhere),
    "abstention precision": lambda records: abstention(looked_for(records)).precision,
    "abstention recall": lambda records: abstention(looked_for(records)).recall,
    "abstention F1": lambda records: abstention(looked_for(records)).f1,
    "answerable refused": lambda records: abstention(looked_for(records)).refused,
    "Recall@5": mean(finding.recall, has_gold),
    "all gold@5": mean(finding.all_gold, has_gold),
    "MRR@10": mean(finding.reciprocal_rank, has_gold),
    "nDCG@10": mean(finding.ndcg, has_gold),
    "gold in evidence": mean(finding.evidence_recall, has_gold),
    "citation precision": mean(verdicts.citation_precision, has_gold),
    "citation recall": mean(verdicts.citation_recall, has_gold),
    "points": mean(lambda r: point_recall(r.answer, r.points), lambda r: r.answerable and r.points),
    "contains": share(lambda r: any(contains(r.answer, one) for one in r.references), has_references),
    "token F1": mean(lambda r: token_f1(r.answer, r.references), has_references),
    "exact match": share(lambda r: exact_match(r.answer, r.references), has_references),
    "judged right": mean(lambda r: r.judged_right, lambda r: r.judged_right is not None),
    "answered directly": share(verdicts.answered_directly, lambda r: r.needs_lookup),
    "small talk looked up": share(verdicts.looked_up_in_vain, lambda r: not r.needs_lookup),
    "sufficient without gold": share(verdicts.stopped_without_gold, has_gold),
    "went on with gold": share(verdicts.went_on_with_gold, has_gold),
    "refused with gold": share(verdicts.refused_with_gold, has_gold),
    "cites what it must not": share(verdicts.misled, lambda r: r.not_to_cite),
    "failed": share(lambda r: r.error is not None, everywhere),
}
"""Shares and means between 0 and 1, by name; which are better high is told in docs/evaluate.md."""

EFFORT: Final[Mapping[str, Figure]] = {
    "rounds": mean(lambda r: len(r.rounds), everywhere),
    "searches": mean(lambda r: r.searches, everywhere),
    "chunks graded": mean(lambda r: r.judged, everywhere),
    "model calls": mean(lambda r: r.model_calls, everywhere),
    "tool calls": mean(lambda r: r.tool_calls, everywhere),
    "tokens": mean(lambda r: r.tokens, everywhere),
    "cost": lambda records: None if any(r.cost is None for r in records) else fmean(r.cost or 0.0 for r in records),
}
"""Means of an ask. There is no cost where a model was called that has no price."""


def scores(records: Records) -> dict[str, Any]:
    """All figures as plain JSON; there must be a record."""
    return {
        "asks": len(records),
        "questions": len({record.id for record in records}),
        "quality": {name: figure(records) for name, figure in QUALITY.items()},
        "spread": _over_repeats(records),
        "effort": {name: figure(records) for name, figure in EFFORT.items()},
        "time": {
            "whole": _time(record.latency_ms for record in records if record.error is None),
            "first event": _time(record.first_event_ms for record in records),
            "first token": _time(record.first_token_ms for record in records),
        },
        "statuses": dict(sorted(Counter(record.status for record in records).items())),
        "stop reasons": dict(sorted(Counter(record.stop_reason or NO_REASON for record in records).items())),
    }


def _over_repeats(records: Records) -> dict[str, Any]:
    """The spread of each figure of quality, where the questions were asked more than once."""
    repeats = sorted({record.repeat for record in records})
    if len(repeats) < 2:
        return {}
    each = [[record for record in records if record.repeat == repeat] for repeat in repeats]
    found = {
        name: spread([value for part in each if (value := figure(part)) is not None])
        for name, figure in QUALITY.items()
    }
    return {name: asdict(one) for name, one in found.items() if one}


def _time(took: Iterable[float | None]) -> dict[str, float] | None:
    found = percentiles(took)
    return asdict(found) if found else None
