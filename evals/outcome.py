"""What many records say together: means and counts over the questions of one set, mode, filter and kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean
from typing import Final

import numpy as np

from evals import verdicts
from evals.measure import ALL
from evals.overlap import point_recall, token_f1
from evals.record import Record

NO_REASON: Final = "none"
"""Counted among stop reasons: an ask that failed has none."""


@dataclass(frozen=True)
class Abstention:
    """Refusing as a classifier of questions that have no answer; a figure without a question to tell is None."""

    precision: float | None
    recall: float | None
    f1: float | None
    refused: float | None
    """The share of answerable questions that were refused."""


@dataclass(frozen=True)
class Outcome:
    """`answerable` and `unanswerable` count statuses. A mean over nothing is None.

    Means of answers are over answerable questions: an answer that was refused is worth 0, except for the precision of
    citations, which is over answers that cite. `cited` counts citations, and `misled` the answers that cite what
    `could_mislead` questions name as not to be cited.
    """

    set: str
    mode: str
    filtered: bool
    kind: str
    answerable: dict[str, int]
    unanswerable: dict[str, int]
    abstention: Abstention
    citation_precision: float | None
    citation_recall: float | None
    point_recall: float | None
    token_f1: float | None
    right: float
    rounds: float
    judged: float
    searches: float
    model_calls: float
    tokens: float
    stop_reasons: dict[str, int]
    stopped_without_gold: int
    went_on_with_gold: int
    refused_with_gold: int
    cited: int
    not_standing: int
    dangling: int
    could_mislead: int
    misled: int
    p50_ms: float
    p95_ms: float

    @property
    def questions(self) -> int:
        return sum(self.answerable.values()) + sum(self.unanswerable.values())


@dataclass(frozen=True)
class Paired:
    """The same questions in two modes: how many are right in both, in one only, in neither; McNemar's exact p."""

    set: str
    filtered: bool
    modes: tuple[str, str]
    both: int
    first: int
    second: int
    neither: int
    p: float


def abstention(records: Iterable[Record]) -> Abstention:
    """Precision, recall and F1 of refusing."""
    counts = Counter((record.answerable, verdicts.abstained(record)) for record in records)
    hit, false, missed = counts[False, True], counts[True, True], counts[False, False]
    return Abstention(
        precision=_share(hit, false),
        recall=_share(hit, missed),
        f1=2 * hit / (2 * hit + false + missed) if hit + missed else None,
        refused=_share(false, counts[True, False]),
    )


def outcome(records: Sequence[Record], kind: str = ALL) -> Outcome:
    """The records must be of one set, mode and filter, and at least one."""
    some = records[0]
    answerable = [record for record in records if record.answerable]
    with_points = [record for record in answerable if record.points]
    with_references = [record for record in answerable if record.references]
    latency = [record.latency_ms for record in records]
    return Outcome(
        set=some.set,
        mode=some.mode,
        filtered=some.filtered,
        kind=kind,
        answerable=_counted(record.status for record in answerable),
        unanswerable=_counted(record.status for record in records if not record.answerable),
        abstention=abstention(records),
        citation_precision=_mean(p for r in answerable if (p := verdicts.citation_precision(r)) is not None),
        citation_recall=_mean(verdicts.citation_recall(record) for record in answerable if record.gold),
        point_recall=_mean(point_recall(record.answer, record.points) for record in with_points),
        token_f1=_mean(token_f1(record.answer, record.references) for record in with_references),
        right=fmean(map(verdicts.right, records)),
        rounds=fmean(len(record.rounds) for record in records),
        judged=fmean(record.judged for record in records),
        searches=fmean(record.searches for record in records),
        model_calls=fmean(record.model_calls for record in records),
        tokens=fmean(record.tokens for record in records),
        stop_reasons=_counted(record.stop_reason or NO_REASON for record in records),
        stopped_without_gold=_count(answerable, verdicts.stopped_without_gold),
        went_on_with_gold=_count(answerable, verdicts.went_on_with_gold),
        refused_with_gold=_count(answerable, verdicts.refused_with_gold),
        cited=sum(len(record.cited) for record in records),
        not_standing=sum(r.unfounded + sum(not source.stands for source in r.cited) for r in records),
        dangling=sum(record.dangling for record in records),
        could_mislead=sum(bool(record.not_to_cite) for record in records),
        misled=_count(records, verdicts.misled),
        p50_ms=float(np.percentile(latency, 50)),
        p95_ms=float(np.percentile(latency, 95)),
    )


def paired(first: Sequence[Record], second: Sequence[Record]) -> Paired | None:
    """The questions that were asked in both modes; None when there are none."""
    others = {record.id: record for record in second}
    pairs = [(record, others[record.id]) for record in first if record.id in others]
    if not pairs:
        return None
    counts = Counter((verdicts.right(one), verdicts.right(other)) for one, other in pairs)
    only, other = counts[True, False], counts[False, True]
    modes = pairs[0][0].mode, pairs[0][1].mode
    at = pairs[0][0]
    return Paired(
        at.set, at.filtered, modes, counts[True, True], only, other, counts[False, False], mcnemar(only, other)
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p of McNemar's exact test: how likely a split as uneven is when both are equally often right."""
    n = only_first + only_second
    tail = sum(comb(n, k) for k in range(min(only_first, only_second) + 1)) / (1 << n)
    return min(1.0, 2 * tail)


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _count(records: Iterable[Record], holds: Callable[[Record], bool]) -> int:
    return sum(map(holds, records))
