"""What the lanes find, alone and fused: `python -m evals.retrieval [FOLDER] [--keep DATA] [--half even|odd]`.

FOLDER holds `corpus.jsonl` and `questions.jsonl`; without one the built-in sample and its questions are measured. The
index goes into a temporary folder, or stays in DATA, so that a second run embeds nothing anew.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Final, Literal

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from context import Principal, SearchRequest
from corpus.documents import Outcome
from corpus.index import Index
from errors import GapseekError
from evals import metrics
from evals.sets import Case, QuestionSet, elevator, from_folder
from graph.wiring import open_services
from settings import Endpoint, Settings
from state import Lane

LANES: Final[dict[str, tuple[Lane, ...]]] = {
    "bm25": ("keyword",),
    "vector": ("vector",),
    "hybrid": ("keyword", "vector"),
}
DEPTH: Final = 10
CHUNKS: Final = 40
"""Hits asked for, so that ten different labels stand among them although documents have several chunks."""


@dataclass(frozen=True)
class Measured:
    """Means over the questions; `missed` counts those with no gold among the first five."""

    recall_5: float
    all_gold_5: float
    mrr_10: float
    ndcg_10: float
    missed: int
    questions: int


async def measured(index: Index, asked: QuestionSet, lanes: tuple[Lane, ...], *, filtered: bool = False) -> Measured:
    """Search each question as it stands, with the set's filter or without."""
    ranked = [(await _labels(index, asked, case, lanes, filtered), case.gold) for case in asked.cases]
    recalls = [metrics.recall(found, gold, 5) for found, gold in ranked]
    return Measured(
        recall_5=fmean(recalls),
        all_gold_5=fmean(metrics.all_gold(found, gold, 5) for found, gold in ranked),
        mrr_10=fmean(metrics.reciprocal_rank(found, gold, DEPTH) for found, gold in ranked),
        ndcg_10=fmean(metrics.ndcg(found, gold, DEPTH) for found, gold in ranked),
        missed=recalls.count(0.0),
        questions=len(ranked),
    )


async def _labels(index: Index, asked: QuestionSet, case: Case, lanes: tuple[Lane, ...], filtered: bool) -> list[str]:
    wanted = case.filter if filtered else None
    hits = await index.search(SearchRequest((case.question,), Principal(), wanted, lanes, top_k=CHUNKS))
    passages = await index.read([doc["chunk_id"] for doc in hits.docs], Principal())
    return [asked.label(passages[doc["chunk_id"]]) for doc in hits.docs]


def half(asked: QuestionSet, which: Literal["even", "odd"]) -> QuestionSet:
    """The questions whose id's SHA-256 is even or odd: constants are chosen on one half and reported on the other."""
    rest = 0 if which == "even" else 1
    cases = tuple(c for c in asked.cases if sha256(c.id.encode()).digest()[-1] % 2 == rest)
    return QuestionSet(f"{asked.name}, {which} half", asked.documents, cases, asked.label)


async def main(asked: QuestionSet, data: Path, console: Console) -> None:
    """Index what is not indexed yet, measure every lane, print a table; another one for questions with a filter."""
    none = Endpoint()
    settings = Settings(chat=none, small_chat=none, embeddings=none, data=data)
    async with open_services(settings, sample=False) as services:
        await ingest(services.index, asked, console)
        with_filter = QuestionSet(
            f"{asked.name}, with its filter", (), tuple(c for c in asked.cases if c.filter), asked.label
        )
        for part, filtered in ((asked, False), (with_filter, True)):
            if not part.cases:
                continue
            rows = {
                name: await measured(services.index, part, lanes, filtered=filtered) for name, lanes in LANES.items()
            }
            console.print(_table(part, rows))


async def ingest(index: Index, asked: QuestionSet, console: Console) -> None:
    """Index the set's documents, with a bar; those that are indexed already cost nothing."""
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("indexing", total=len(asked.documents))

        def show(done: int, total: int, outcome: Outcome) -> None:
            progress.update(task, completed=done)

        await index.add(asked.documents, Principal(), show)


def _table(part: QuestionSet, rows: dict[str, Measured]) -> Table:
    names = [field.name for field in fields(Measured)][:-1]
    table = Table("lane", *names, title=f"{part.name}, n={len(part.cases)}")
    for lane, row in rows.items():
        table.add_row(lane, *(f"{getattr(row, name):.3f}" if name != "missed" else str(row.missed) for name in names))
    return table


def run(arguments: Sequence[str]) -> None:
    """The command; a set that cannot be read ends it with one sentence."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.retrieval", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folder", nargs="?", type=Path, help="holds corpus.jsonl and questions.jsonl; else the sample")
    parser.add_argument("--keep", type=Path, metavar="DATA", help="keep the index here")
    parser.add_argument("--half", choices=("even", "odd"))
    wanted = parser.parse_args(arguments)
    with ExitStack() as stack:
        data = wanted.keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-retrieval-")))
        try:
            asked = from_folder(wanted.folder) if wanted.folder else elevator()
            asyncio.run(main(half(asked, wanted.half) if wanted.half else asked, data, Console()))
        except GapseekError as error:
            sys.exit(f"evals.retrieval: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
