"""Results of `evals.retrieval` on the console: each set, then all of them side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from rich.console import Console
from rich.table import Table

from evals.baselines import Baselines
from evals.measure import BM25, HYBRID, VECTOR, Measured
from evals.results import SetResult
from evals.sets import CARRIED

FAR_BELOW: Final = 0.03
"""How far hybrid may be below its better lane before a set is listed."""

MEAN: Final = "mean of public sets"


@dataclass(frozen=True)
class Behind:
    """A set on which hybrid finds less than the better of its lanes, by Recall@5."""

    name: str
    filtered: bool
    lane: str
    of_lane: float
    of_hybrid: float


def behind(results: Sequence[SetResult]) -> Iterator[Behind]:
    """Every set, with its filter or without, where hybrid is far below its better lane."""
    for result in results:
        for filtered in (False, True):
            found = {way.name: result.row(way.name, filtered=filtered) for way in (BM25, VECTOR, HYBRID)}
            bm25, vector, hybrid = (found[way.name] for way in (BM25, VECTOR, HYBRID))
            if bm25 and vector and hybrid:
                best = max(bm25, vector, key=lambda row: row.recall_5)
                if best.recall_5 - hybrid.recall_5 > FAR_BELOW:
                    yield Behind(result.name, filtered, best.way, best.recall_5, hybrid.recall_5)


def macro(results: Sequence[SetResult], way: str) -> Measured | None:
    """The mean of the public sets' means, without filter; None unless every one was measured in this way.

    The sets that the product carries are left out: their questions were worded knowing where words alone fail.
    """
    public = [result for result in results if result.name not in CARRIED]
    rows = [row for result in public if (row := result.row(way))]
    if not rows or len(rows) < len(public):
        return None
    return Measured(
        way=way,
        filtered=False,
        kind=MEAN,
        questions=sum(row.questions for row in rows),
        recall_5=fmean(row.recall_5 for row in rows),
        all_gold_5=fmean(row.all_gold_5 for row in rows),
        mrr_10=fmean(row.mrr_10 for row in rows),
        ndcg_10=fmean(row.ndcg_10 for row in rows),
        missed=sum(row.missed for row in rows),
    )


def delta(result: SetResult, row: Measured, known: Baselines) -> float | None:
    """Recall@5 above the baseline of the same set, kind and filter; None when there is none."""
    base = known.get((result.name, row.kind, row.filtered))
    return None if base is None else row.recall_5 - base


def show(result: SetResult, known: Baselines, console: Console) -> None:
    """One set: a row a way, filter and kind."""
    title = f"{result.name}: {result.documents:,} documents, {result.chunks:,} chunks"
    table = Table("way", "filter", "kind", "n", "Recall@5", "all gold@5", "MRR@10", "nDCG@10", "missed", title=title)
    if known:
        table.add_column("to baseline")
    for row in result.rows:
        table.add_row(*_cells(row), *([_signed(delta(result, row, known))] if known else []))
    console.print(table)
    if caught := result.look_alikes:
        shares = f"{caught.without_filter:.3f} without filter, {caught.with_filter:.3f} with it"
        console.print(f"a look-alike in the top 5, {result.ways[-1]}, {caught.questions} questions: {shares}")


def show_all(results: Sequence[SetResult], known: Baselines, console: Console) -> None:
    """The sets side by side, and those where hybrid is far below its better lane."""
    if len(results) < 2:
        return
    names = list(dict.fromkeys(way for result in results for way in result.ways))
    table = Table("set", *names, *(["bm25 to baseline"] if known else []), title="Recall@5, no filter")
    for result in results:
        cells = [_score(result.row(name)) for name in names]
        first = result.row(BM25.name)
        base = [_signed(delta(result, first, known)) if first else ""] if known else []
        table.add_row(result.name, *cells, *base)
    table.add_row(MEAN, *(_score(macro(results, name)) for name in names), end_section=True)
    console.print(table)
    for found in behind(results):
        where = f"{found.name}{', with its filter' if found.filtered else ''}"
        console.print(
            f"hybrid is {found.of_lane - found.of_hybrid:.3f} below {found.lane} on {where}: "
            f"{found.of_hybrid:.3f}, {found.of_lane:.3f}"
        )


def _cells(row: Measured) -> tuple[str, ...]:
    scores = (row.recall_5, row.all_gold_5, row.mrr_10, row.ndcg_10)
    return (
        row.way,
        "yes" if row.filtered else "",
        row.kind,
        str(row.questions),
        *(f"{score:.3f}" for score in scores),
        str(row.missed),
    )


def _score(row: Measured | None) -> str:
    return f"{row.recall_5:.3f}" if row else ""


def _signed(difference: float | None) -> str:
    return "" if difference is None else f"{difference:+.3f}"
