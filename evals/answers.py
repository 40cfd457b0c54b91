"""How whole questions are answered: `python -m evals.answers SET... [--json FILE]`.

A SET is a folder with `corpus.jsonl` and `questions.jsonl`, or the name of a set that the product carries. Every
question is asked of the machine as it is deployed, offline, in each mode; those that name a filter also under it. Each
ask is a line of FILE as soon as it ends, and a run that finds the line there does not ask again; the tables are of all
of its lines.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console

from errors import GapseekError
from evals import knowledge
from evals.answers_report import blocks, report
from evals.deployment import name_of
from evals.fingerprint import ANSWERING, fingerprint
from evals.modes import FIRST, LOOP, MODES, SINGLE, chosen
from evals.plan import Plan, sample
from evals.progress import bars
from evals.record import Records
from evals.runner import run as run_plan
from evals.sets import CARRIED, QuestionSet, half, named
from settings import Endpoint, Settings

PUBLISHED: Final = (LOOP, FIRST, SINGLE)
AT_ONCE: Final = 3
"""Asks under way together: more than that only wait for each other on a small machine."""


async def ask_all(asked: QuestionSet, data: Path, modes: Sequence[str], kept: Records, console: Console) -> None:
    """Ask in each mode what is not answered yet, a few at once, of the machine as it is without any setting."""
    none = Endpoint()
    deployed = Settings(chat=none, small_chat=none, embeddings=none)
    plan = Plan(asked, tuple(modes), name_of(deployed, {}), knowledge.name_of(asked.documents), "both", at_once=AT_ONCE)
    with bars(console) as tick:
        await run_plan(plan, deployed, data, kept, tick)


def main(options: argparse.Namespace, console: Console) -> None:
    """Ask every set in every mode, then print the tables of all that is kept."""
    modes = chosen(options.modes, PUBLISHED)
    kept = Records(options.json, fingerprint(ANSWERING))
    for name in options.sets:
        asked = _set(name, options)
        with ExitStack() as stack:
            root = options.keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-answers-")))
            data = root / asked.name.partition(",")[0]
            asyncio.run(ask_all(asked, data, modes, kept, console))
    for name, table in blocks(report(kept)).items():
        console.print(f"\n{name}\n{table}", markup=False, highlight=False, soft_wrap=True)


def _set(name: str, options: argparse.Namespace) -> QuestionSet:
    asked = named(name)
    return sample(asked if options.half == "all" else half(asked, options.half), options.limit)


def _count(number: str) -> int:
    if not number.isdecimal() or int(number) < 1:
        raise argparse.ArgumentTypeError(f"{number!r} is no number of questions")
    return int(number)


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.answers", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="+", metavar="SET", help=f"a folder, or one of {', '.join(CARRIED)}")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the indexes here, one a set")
    parser.add_argument("--limit", type=_count, metavar="N", help="only so many questions of each set")
    parser.add_argument("--half", choices=("odd", "even", "all"), default="all", help="those whose id hashes so")
    parser.add_argument("--modes", metavar="NAMES", help=f"of {','.join(MODES)}; else {','.join(PUBLISHED)}")
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
