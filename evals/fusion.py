"""Which way to fuse the lanes: `python -m evals.fusion FOLDER... [--keep DATA]`.

Each FOLDER holds `corpus.jsonl` and `questions.jsonl`; its index goes into DATA/<folder's name>, or is thrown away.
Each way is judged by its mean over the sets: chosen on the questions whose id hashes even, reported on the odd ones.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Final, Literal

from rich.console import Console
from rich.table import Table

from context.retrieval import Principal, SearchRequest
from corpus.index import Index
from corpus.lanes.blended import blended
from corpus.lanes.fusion import Way, ordered
from corpus.lanes.match import RankedList
from corpus.lanes.reciprocal import reciprocal_ranks
from corpus.lanes.scaled import scaled_sums
from errors import GapseekError
from evals import metrics
from evals.retrieval import ingest
from evals.sets import Case, QuestionSet, from_folder, half
from graph.wiring import open_services
from settings import Endpoint, Settings
from state import Lane

Half = Literal["even", "odd"]

DEFAULT: Final = "rrf 1:4 k=60"
"""What the product does unless it is told otherwise."""

WORSE: Final = 0.03
"""A set where fusion loses more than this to its better lane is named."""


@dataclass(frozen=True)
class Pool:
    """One question's lists, what the gold calls the passage at each place, and the gold."""

    lists: Sequence[RankedList]
    labels: Mapping[int, str]
    gold: Sequence[str]

    def judged(self, way: Way) -> tuple[float, float]:
        """Recall@5 and MRR@10."""
        found = [self.labels[place] for place, _ in ordered(self.lists, way)]
        return metrics.recall(found, self.gold, 5), metrics.reciprocal_rank(found, self.gold, 10)


@dataclass(frozen=True)
class Means:
    """Means over the questions of each set, then over the sets."""

    recall_5: float
    mrr_10: float


Sets = Mapping[str, Sequence[Pool]]


def ways() -> dict[str, Way]:
    """Every way that is compared, by name; weights are keyword : vector."""
    weights = [(1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (1, 8)]
    found: dict[str, Way] = {
        "bm25": partial(weighted, 1, 0, scaled_sums),
        "vector": partial(weighted, 0, 1, scaled_sums),
    }
    for keyword, vector in weights:
        of_lanes = f"{keyword}:{vector}"
        for k in (10, 20, 60, 100):
            found[f"rrf {of_lanes} k={k}"] = partial(weighted, keyword, vector, partial(reciprocal_ranks, k=k))
        found[f"scaled {of_lanes}"] = partial(weighted, keyword, vector, scaled_sums)
        found[f"blend {of_lanes}"] = partial(weighted, keyword, vector, blended)
    return found


def weighted(keyword: float, vector: float, way: Way, lists: Sequence[RankedList]) -> dict[int, float]:
    """The way with these weights; a lane of weight zero takes no part."""
    weights: dict[Lane, float] = {"keyword": keyword, "vector": vector}
    return way([replace(one, weight=weights[one.lane]) for one in lists if weights[one.lane]])


def mean(sets: Sets, way: Way) -> Means:
    of_sets = [[pool.judged(way) for pool in pools] for pools in sets.values() if pools]
    recalls, ranks = ([fmean(pair[n] for pair in pairs) for pairs in of_sets] for n in (0, 1))
    return Means(fmean(recalls), fmean(ranks))


async def pools(index: Index, asked: QuestionSet) -> list[Pool]:
    """The lists of every question as it stands, without a filter."""
    return [await _pool(index, asked, case) for case in asked.cases]


async def _pool(index: Index, asked: QuestionSet, case: Case) -> Pool:
    lists, passages = await index.candidates(SearchRequest((case.question,), Principal()))
    return Pool(lists, {place: asked.label(passage) for place, passage in passages.items()}, case.gold)


async def pools_of(folder: Path, data: Path, console: Console) -> dict[Half, list[Pool]]:
    """Index what is not indexed yet, and search every question of both halves."""
    none = Endpoint()
    asked = from_folder(folder)
    settings = Settings(chat=none, small_chat=none, embeddings=none, data=data)
    async with open_services(settings, sample=False) as services:
        await ingest(services.index, asked, console)
        return {
            "even": await pools(services.index, half(asked, "even")),
            "odd": await pools(services.index, half(asked, "odd")),
        }


def comparison(even: Sets, odd: Sets) -> Table:
    """Every way, the best on the even half first."""
    table = Table("way", "even R@5", "even MRR@10", "odd R@5", "odd MRR@10", title=f"mean over {len(even)} sets")
    rows = [(name, mean(even, way), mean(odd, way)) for name, way in ways().items()]
    for name, chosen, told in sorted(rows, key=lambda row: -row[1].recall_5):
        table.add_row(name, *(f"{value:.4f}" for value in (chosen.recall_5, chosen.mrr_10, told.recall_5, told.mrr_10)))
    return table


def by_set(even: Sets, odd: Sets, name: str) -> Table:
    """One way beside both lanes, a set a row, over all its questions; a set where it loses is marked."""
    table = Table("set", "bm25", "vector", name, "")
    compared = [ways()[one] for one in ("bm25", "vector", name)]
    for of_set in even:
        both = {of_set: [*even[of_set], *odd[of_set]]}
        bm25, vector, fused = (mean(both, way).recall_5 for way in compared)
        lost = max(bm25, vector) - fused
        told = f"{lost:.3f} below its better lane" if lost > WORSE else ""
        table.add_row(of_set, *(f"{value:.3f}" for value in (bm25, vector, fused)), told)
    return table


async def main(folders: Sequence[Path], data: Path, chosen: str, console: Console) -> None:
    found = {folder.name: await pools_of(folder, data / folder.name, console) for folder in folders}
    even, odd = ({name: halves[which] for name, halves in found.items()} for which in ("even", "odd"))
    console.print(comparison(even, odd))
    console.print(by_set(even, odd, chosen))


def run(arguments: Sequence[str]) -> None:
    """The command; a set that cannot be read ends it with one sentence."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.fusion", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folders", nargs="+", type=Path, help="each holds corpus.jsonl and questions.jsonl")
    parser.add_argument("--keep", type=Path, metavar="DATA", help="keep the indexes here, a folder a set")
    parser.add_argument("--chosen", choices=ways(), default=DEFAULT, help="the way to show set by set")
    wanted = parser.parse_args(arguments)
    with ExitStack() as stack:
        data = wanted.keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-fusion-")))
        try:
            asyncio.run(main(wanted.folders, data, wanted.chosen, Console()))
        except GapseekError as error:
            sys.exit(f"evals.fusion: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
