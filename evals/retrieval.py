"""What the lanes find, alone, fused and re-ranked: `python -m evals.retrieval [SET ...]`.

A SET is a folder with `corpus.jsonl` and `questions.jsonl`, or the name of a set that the product carries; without one
the built-in sample and its questions are measured. Each index goes into a temporary folder, or stays under `--keep`, so
that a second run embeds nothing anew.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console

from context.retrieval import Principal
from corpus.index import Index
from errors import BadRequest, GapseekError, Unavailable
from evals.baselines import Baselines, baselines
from evals.bench.kept import engine
from evals.knowledge import indexed
from evals.measure import BM25, WAYS, Way, look_alikes, measured, searches
from evals.progress import bars, progress
from evals.results import Report, Results, SetResult
from evals.sets import BUILT_IN, CARRIED, QuestionSet, half, named
from evals.summary import show, show_all
from evals.versions import versions
from graph.wiring import open_services
from settings import Endpoint, Settings

_WIDTH: Final = 120
"""Columns when nobody watches, so that a file holds whole tables."""


async def measure(asked: QuestionSet, data: Path, wanted: Sequence[Way], console: Console) -> SetResult:
    """Index what is not indexed yet, then search every question in every way, without its filter and with it."""
    async with _index(data, wanted) as index:
        await ingest(index, asked, console)
        with progress(console) as bar:
            task = bar.add_task(f"{asked.name}: searching", total=searches(asked, wanted))
            tick = partial(bar.advance, task)
            rows = [
                row
                for way in wanted
                for filtered in (False, True)
                for row in await measured(index, asked, way, filtered=filtered, tick=tick)
            ]
            caught = await look_alikes(index, asked, wanted[-1], tick)
        chunks = await index.count(Principal(), None)
        measured_by = {"code": engine(), **versions()}
        about = asked.name, len(asked.documents), chunks, index.embedder_name
        return SetResult(*about, tuple(rows), caught, measured_by)


@asynccontextmanager
async def _index(data: Path, wanted: Sequence[Way]) -> AsyncIterator[Index]:
    """The index of a data folder; without the embedder, which takes a while to load, when only words are asked for."""
    if all(way.lanes == BM25.lanes for way in wanted):
        index = await Index.open(data / "index", None)
        try:
            yield index
        finally:
            await index.close()
        return
    none = Endpoint()
    async with open_services(
        Settings(chat=none, small_chat=none, embeddings=none, data=data), sample=False
    ) as services:
        if services.vector_lane_off:
            raise Unavailable(services.vector_lane_off)
        yield services.index


async def ingest(index: Index, asked: QuestionSet, console: Console) -> None:
    """Index the set's documents, with a bar; those that are indexed already cost nothing."""
    with bars(console) as tick:
        await indexed(index, asked.documents, lambda part, done, total: tick(f"{asked.name}: {part}", done, total))


def _wanted(names: str | None) -> tuple[Way, ...]:
    known = {way.name: way for way in WAYS}
    chosen = names.split(",") if names else list(known)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise BadRequest(f"There is no way of searching named {unknown[0]!r}; there are {', '.join(known)}.")
    return tuple(known[name] for name in chosen)


def _set(name: str, which: str | None) -> QuestionSet:
    asked = named(name)
    return half(asked, "even" if which == "even" else "odd") if which else asked


def main(options: argparse.Namespace, console: Console) -> None:
    """Measure every set, print it, and keep its result at once, so that `--resume` goes on where a run stopped."""
    wanted = _wanted(options.only)
    known: Baselines = baselines(options.baselines) if options.baselines else {}
    results = Results(options.json)
    report = results.read() if options.resume else Report()
    for name in options.sets or [BUILT_IN]:
        asked = _set(name, options.half)
        if asked.name not in report.sets:
            report.sets[asked.name] = _measured(asked, wanted, options.keep, console)
            results.write(report)
        show(report.sets[asked.name], known, console)
    show_all(list(report.sets.values()), known, console)


def _measured(asked: QuestionSet, wanted: Sequence[Way], keep: Path | None, console: Console) -> SetResult:
    with ExitStack() as stack:
        root = keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-retrieval-")))
        return asyncio.run(measure(asked, root / asked.name.partition(",")[0], wanted, console))


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    described = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=described)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"a folder, or one of {', '.join(CARRIED)}")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the indexes here, one a set")
    parser.add_argument("--half", choices=("even", "odd"), help="only the questions whose id hashes so")
    parser.add_argument("--only", metavar="NAMES", help=f"some of {','.join(way.name for way in WAYS)}")
    parser.add_argument("--baselines", type=Path, metavar="FILE", help="a Markdown table with set, kind and R@5")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the results here")
    parser.add_argument("--resume", action="store_true", help="leave out sets that the file of --json has")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str]) -> None:
    """The command; a set that cannot be read ends it with one sentence."""
    try:
        main(options(arguments), Console(width=None if sys.stdout.isatty() else _WIDTH))
    except GapseekError as error:
        sys.exit(f"evals.retrieval: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
