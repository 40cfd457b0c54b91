"""Results of `evals.retrieval` as Markdown tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from evals.baselines import Baselines
from evals.markdown import table
from evals.measure import ALL, BM25, Measured
from evals.report.source import told
from evals.results import SetResult
from evals.summary import MEAN, behind, delta, macro

Results = Sequence[SetResult]

_SCORES: Final[dict[str, Callable[[Measured], float]]] = {
    "Recall@5": lambda row: row.recall_5,
    "all gold@5": lambda row: row.all_gold_5,
    "MRR@10": lambda row: row.mrr_10,
    "nDCG@10": lambda row: row.ndcg_10,
}


def recall(results: Results, known: Baselines) -> str:
    """Recall@5 of every way, a row a set, and the distance of BM25 to its baseline."""
    ways = _ways(results)
    head = ("set", "questions", *ways, "bm25 to baseline")
    rows = [
        (result.name, str(_questions(result)), *(_score(result.row(way)) for way in ways), _to_baseline(result, known))
        for result in results
    ]
    return table(head, [*rows, (MEAN, "", *(_score(macro(results, way)) for way in ways), "")])


def ranking(results: Results) -> str:
    """All four metrics of every way, a row a set and way."""
    rows = [
        (result.name, way, *(f"{score(row):.3f}" for score in _SCORES.values()), str(row.missed))
        for result in results
        for way in result.ways
        if (row := result.row(way))
    ]
    return table(("set", "way", *_SCORES, "missed"), [*rows, *_means(results)])


def kinds(results: Results, known: Baselines) -> str:
    """Recall@5 by kind of question, for the sets that have several."""
    ways = _ways(results)
    rows = [
        (
            f"{result.name}, {kind}{' + filter' if under else ''}",
            str(first.questions),
            *(_score(result.row(way, kind, filtered=under)) for way in ways),
            _signed(delta(result, bm25, known) if (bm25 := result.row(BM25.name, kind, filtered=under)) else None),
        )
        for result in results
        for under in (False, True)
        for kind in _kinds(result, filtered=under)
        if kind != ALL and (first := result.row(result.ways[0], kind, filtered=under))
    ]
    return table(("set, kind", "n", *ways, "bm25 to baseline"), rows)


def far_below(results: Results) -> str:
    """Where hybrid is more than .03 below its better lane."""
    rows = [
        (
            f"{found.name}{' + filter' if found.filtered else ''}",
            found.lane,
            f"{found.of_lane:.3f}",
            f"{found.of_hybrid:.3f}",
        )
        for found in behind(results)
    ]
    return table(("set", "better lane", "its Recall@5", "hybrid"), rows) if rows else "None."


def look_alikes(results: Results) -> str:
    """How often another tenant's look-alike stands in the top 5."""
    rows = [
        (result.name, str(caught.questions), f"{caught.without_filter:.3f}", f"{caught.with_filter:.3f}")
        for result in results
        if (caught := result.look_alikes)
    ]
    return table(("set", "n", "look-alike in the top 5", "with filter"), rows) if rows else "None."


def sources(results: Results) -> str:
    """Which code and versions each set was measured with; nothing is drawn at random, so there is no seed."""
    found: dict[str, list[str]] = {}
    for result in results:
        found.setdefault(_source(result), []).append(f"`{result.name}`")
    return "\n".join(f"* {', '.join(names)}: {said}." for said, names in found.items()) or "Not measured yet."


def _source(result: SetResult) -> str:
    if not result.versions:
        return f"versions not recorded; embedder {result.embedder or 'none'}"
    of = result.versions
    return f"search code {of['code']}; gapseek {of['gapseek']}; embedder {result.embedder or 'none'}; {told(of)}"


def retrieval_blocks(results: Results, known: Baselines) -> dict[str, str]:
    """Every table by the name of its place on the page."""
    return {
        "recall": recall(results, known),
        "ranking": ranking(results),
        "kinds": kinds(results, known),
        "far-below": far_below(results),
        "look-alikes": look_alikes(results),
        "retrieval-sources": sources(results),
    }


def _means(results: Results) -> Iterator[tuple[str, ...]]:
    for way in _ways(results):
        if row := macro(results, way):
            yield MEAN, way, *(f"{score(row):.3f}" for score in _SCORES.values()), str(row.missed)


def _ways(results: Results) -> list[str]:
    return list(dict.fromkeys(way for result in results for way in result.ways))


def _kinds(result: SetResult, *, filtered: bool) -> list[str]:
    return list(dict.fromkeys(row.kind for row in result.rows if row.filtered == filtered))


def _questions(result: SetResult) -> int:
    return next((row.questions for row in result.rows if row.kind == ALL and not row.filtered), 0)


def _to_baseline(result: SetResult, known: Baselines) -> str:
    row = result.row(BM25.name)
    return _signed(delta(result, row, known)) if row else ""


def _score(row: Measured | None) -> str:
    return f"{row.recall_5:.3f}" if row else ""


def _signed(difference: float | None) -> str:
    return "" if difference is None else f"{difference:+.3f}"
