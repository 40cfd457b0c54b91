"""What one way of searching finds of a question set: means over its questions, of all and of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final

from context.retrieval import Principal, Retriever, SearchRequest
from errors import Unavailable
from evals import metrics
from evals.sets import Case, QuestionSet
from state import Lane

ALL: Final = "all"
DEPTH: Final = 10
CHUNKS: Final = 40
"""Hits asked for, so that ten different labels stand among them although documents have several chunks."""


@dataclass(frozen=True)
class Way:
    """A row of the tables: which lanes, and what else of the request is not the default."""

    name: str
    lanes: tuple[Lane, ...]
    rerank: bool = False


BM25: Final = Way("bm25", ("keyword",))
VECTOR: Final = Way("vector", ("vector",))
HYBRID: Final = Way("hybrid", ("keyword", "vector"))
HYBRID_RERANK: Final = Way("hybrid_rerank", ("keyword", "vector"), rerank=True)
WAYS: Final = (BM25, VECTOR, HYBRID, HYBRID_RERANK)


@dataclass(frozen=True)
class Measured:
    """Means over the questions of one kind; `missed` counts those with no gold among the first five."""

    way: str
    filtered: bool
    kind: str
    questions: int
    recall_5: float
    all_gold_5: float
    mrr_10: float
    ndcg_10: float
    missed: int


@dataclass(frozen=True)
class LookAlikes:
    """The share of questions with a look-alike among the first five, without the question's filter and with it."""

    questions: int
    without_filter: float
    with_filter: float


Tick = Callable[[], None]
"""Called after each search."""


def searches(asked: QuestionSet, wanted: Sequence[Way]) -> int:
    """How many searches `measured` makes for these ways, and `look_alikes`."""
    return len(wanted) * (len(asked.cases) + len(with_filter(asked))) + 2 * len(asked.traps)


def with_filter(asked: QuestionSet) -> tuple[Case, ...]:
    return tuple(case for case in asked.cases if case.filter)


async def measured(
    index: Retriever, asked: QuestionSet, way: Way, *, filtered: bool = False, tick: Tick = lambda: None
) -> list[Measured]:
    """Search each question as it stands; with `filtered` those that have a filter, under it. First row: all kinds."""
    found: list[tuple[Case, list[str]]] = []
    for case in with_filter(asked) if filtered else asked.cases:
        found.append((case, await labels(index, asked, case, way, filtered=filtered)))
        tick()
    kinds = sorted({case.kind for case, _ in found})
    parts = {ALL: found} if found else {}
    if len(kinds) > 1:
        parts |= {kind: [pair for pair in found if pair[0].kind == kind] for kind in kinds}
    return [_means(way.name, filtered, kind, part) for kind, part in parts.items()]


async def look_alikes(index: Retriever, asked: QuestionSet, way: Way, tick: Tick = lambda: None) -> LookAlikes | None:
    """None for a set without any."""
    if not asked.traps:
        return None
    shares = []
    for filtered in (False, True):
        caught = []
        for case in asked.traps:
            first = (await labels(index, asked, case, way, filtered=filtered))[:5]
            caught.append(float(bool(set(first) & set(case.look_alikes))))
            tick()
        shares.append(fmean(caught))
    return LookAlikes(len(asked.traps), *shares)


async def labels(index: Retriever, asked: QuestionSet, case: Case, way: Way, *, filtered: bool) -> list[str]:
    """Labels of what is found for a question, best first, each once. Raises `Unavailable` when a lane fails."""
    hits = await index.search(request(case.question, way, case.filter if filtered else None))
    for lane in hits.lanes:
        if lane["error"] is not None:
            raise Unavailable(lane["error"])
    passages = await index.read([doc["chunk_id"] for doc in hits.docs], Principal())
    return list(dict.fromkeys(asked.label(passages[doc["chunk_id"]]) for doc in hits.docs))


def request(question: str, way: Way, wanted: dict[str, Any] | None) -> SearchRequest:
    """The request of a way."""
    return SearchRequest((question,), Principal(), wanted, way.lanes, top_k=CHUNKS, rerank=way.rerank)


def _means(way: str, filtered: bool, kind: str, found: Sequence[tuple[Case, list[str]]]) -> Measured:
    recalls = [metrics.recall(ranked, case.gold, 5) for case, ranked in found]
    return Measured(
        way=way,
        filtered=filtered,
        kind=kind,
        questions=len(found),
        recall_5=fmean(recalls),
        all_gold_5=fmean(metrics.all_gold(ranked, case.gold, 5) for case, ranked in found),
        mrr_10=fmean(metrics.reciprocal_rank(ranked, case.gold, DEPTH) for case, ranked in found),
        ndcg_10=fmean(metrics.ndcg(ranked, case.gold, DEPTH) for case, ranked in found),
        missed=recalls.count(0.0),
    )
