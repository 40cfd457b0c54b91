"""How whole questions are answered: `python -m evals.answers SET... [--json FILE]`.

A SET is a folder with `corpus.jsonl` and `questions.jsonl`, or `elevator` for the built-in one. Every question is asked
of the machine as it is deployed, offline, in each mode; those that name a filter also under it. Each ask is a line of
FILE as soon as it ends, and a run that finds the line there does not ask again; the tables are of all of its lines.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from rich.console import Console

from context.retrieval import Principal
from context.run import Context
from errors import GapseekError
from evals.answers_report import blocks, report
from evals.fingerprint import fingerprint
from evals.modes import MODES
from evals.progress import progress
from evals.record import Key, Records
from evals.retrieval import ingest
from evals.sets import BUILT_IN, QuestionSet, elevator, from_folder, half
from evals.trial import Trials
from graph.build import build
from graph.wiring import Services, open_services
from runs.engine import Engine
from settings import Endpoint, Settings

AT_ONCE: Final = 3
"""Asks under way together: more than that only wait for each other on a small machine."""
_ANSWERING: Final = ("context", "corpus", "graph", "nodes", "policy", "reasoner", "runs", "settings", "state", "text")
"""The rooms and modules whose code an answer comes of."""


async def ask_all(asked: QuestionSet, data: Path, mode: str, kept: Records, code: str, console: Console) -> None:
    """Ask in one mode what is not answered yet, a few at once."""
    wanted = [(case, filtered) for case in asked.asked for filtered in (False, True) if case.filter or not filtered]
    name = asked.name.partition(",")[0]
    wanted = [(case, filtered) for case, filtered in wanted if Key(name, case.id, mode, filtered) not in kept]
    if not wanted:
        return
    # Anew for each mode: what the search cache holds of another mode would be free.
    async with _opened(data) as services:
        await ingest(services.index, asked, console)
        trials = Trials(_engine(services, mode), services.index, asked, mode, code)
        with progress(console) as bar:
            task = bar.add_task(f"{asked.name}: {mode}", total=len(wanted))
            waiting = iter(wanted)

            async def work() -> None:
                for case, filtered in waiting:
                    kept.add(await trials.ask(case, filtered=filtered))
                    bar.advance(task)

            async with asyncio.TaskGroup() as group:
                for _ in range(AT_ONCE):
                    group.create_task(work())


@asynccontextmanager
async def _opened(data: Path) -> AsyncIterator[Services]:
    none = Endpoint()
    deployed = Settings(chat=none, small_chat=none, embeddings=none, data=data)
    async with open_services(deployed, sample=False) as services:
        yield services


def _engine(services: Services, mode: str) -> Engine:
    """The deployment's own, with the dials of the mode, and threads that nobody keeps."""
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))

    def given(principal: Principal) -> Context:
        deployed = services.context_for(principal)
        return replace(deployed, dials=MODES[mode](deployed.dials))

    return Engine(build(saver), saver, given, durability="exit")


def sample(asked: QuestionSet, limit: int | None) -> QuestionSet:
    """That many of the questions, always the same ones, drawn by the hash of their ids."""
    drawn = sorted(asked.asked, key=lambda case: sha256(case.id.encode()).digest())
    return replace(asked, asked=tuple(drawn[:limit]))


def main(options: argparse.Namespace, console: Console) -> None:
    """Ask every set in every mode, then print the tables of all that is kept."""
    code = fingerprint(_ANSWERING)
    kept = Records(options.json, code)
    for name in options.sets:
        asked = _set(name, options)
        with ExitStack() as stack:
            root = options.keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-answers-")))
            for mode in options.modes:
                data = root / asked.name.partition(",")[0]
                asyncio.run(ask_all(asked, data, mode, kept, code, console))
    for name, table in blocks(report(kept)).items():
        console.print(f"\n{name}\n{table}", markup=False, highlight=False, soft_wrap=True)


def _set(name: str, options: argparse.Namespace) -> QuestionSet:
    asked = elevator() if name == BUILT_IN else from_folder(Path(name))
    return sample(asked if options.half == "all" else half(asked, options.half), options.limit)


def _count(number: str) -> int:
    if not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{number!r} is no number of questions")
    return int(number)


def _modes(names: str) -> list[str]:
    unknown = [name for name in names.split(",") if name not in MODES]
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no mode named {unknown[0]!r}; there are {', '.join(MODES)}")
    return names.split(",")


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.answers", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help=f"a folder, or {BUILT_IN} for the built-in set")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the indexes here, one a set")
    parser.add_argument("--limit", type=_count, metavar="N", help="only so many questions of each set")
    parser.add_argument("--half", choices=("odd", "even", "all"), default="all", help="those whose id hashes so")
    parser.add_argument("--modes", type=_modes, default=list(MODES), metavar="NAMES", help=f"of {','.join(MODES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="a line an ask; what stands there is not asked again")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str]) -> None:
    """The command; a set that cannot be read ends it with one sentence."""
    try:
        main(options(arguments), Console(width=None if sys.stdout.isatty() else 120))
    except GapseekError as error:
        sys.exit(f"evals.answers: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
