"""`python -m evals.soak`: 50 streams against a real server that is killed meanwhile, and its memory after that."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
from rich.console import Console

from errors import GapseekError
from evals.markdown import fill
from evals.progress import bars
from evals.soak.phases import Load, Watched, disturbed, watched
from evals.soak.report import blocks, complaints, lines
from evals.versions import versions

_SHOWN: Final = 20
"""Complaints that are printed; the others are like them."""


def main(options: argparse.Namespace, console: Console) -> int:
    """0 when every line holds, else 1."""
    with TemporaryDirectory(prefix="gapseek-soak-") as made:
        folder: Path = options.folder or Path(made)
        load = Load(options.streams, options.seed, options.every)
        with bars(Console(stderr=True)) as tick:
            survived = disturbed(folder / "kills", load, options.seconds, tick)
            steady = None
            if options.memory_seconds:
                steady = watched(folder / "memory", load, options.warm_up, options.memory_seconds, tick)
        if steady is not None and options.samples is not None:
            _write_samples(options.samples, steady)
    found = lines(survived, steady)
    for line in found:
        console.print(f"{'held ' if line.held else 'FAILED'} {line.name}: {line.found}", markup=False)
    for said in list(complaints(survived))[:_SHOWN]:
        console.print(said, markup=False)
    if options.page is not None:
        written = blocks(found, survived, steady, _run(options))
        options.page.write_text(fill(options.page.read_text("utf-8"), written), "utf-8")
    return 0 if all(line.held for line in found) else 1


def _run(options: argparse.Namespace) -> dict[str, Any]:
    """What the figures came of."""
    known = versions()
    return {
        "command": f"`make soak {' '.join(_parameters(options))}`",
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "machine": f"{known['system']}, {known['processors']} processors",
        "versions": ", ".join(
            f"{name} {one}" for name, one in [("python", known["python"]), *known["packages"].items()]
        ),
    }


def _parameters(options: argparse.Namespace) -> list[str]:
    names = ("seconds", "streams", "seed", "every", "warm_up", "memory_seconds")
    return [f"{name.upper()}={getattr(options, name):g}" for name in names]


def _commit() -> str:
    git = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)  # noqa: S603  # only constants
    return done.stdout.strip() or "unknown"


def _write_samples(file: Path, steady: Watched) -> None:
    file.write_text(json.dumps([asdict(sample) for sample in steady.samples]), "utf-8")


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.soak", description=(__doc__ or "").split("\n")[0])
    add = parser.add_argument
    add("--seconds", type=float, default=120, metavar="S", help="how long to ask while the server is killed")
    add("--streams", type=int, default=50, metavar="N", help="how many ask at a time")
    add("--seed", type=int, default=7, metavar="N", help="of who leaves when, and of the kills")
    add("--every", type=float, default=10, metavar="S", help="about how long each life of the server lasts")
    add("--warm-up", type=int, default=3_000, metavar="N", help="questions before memory is watched")
    add("--memory-seconds", type=float, default=300, metavar="S", help="how long memory is watched; 0 leaves it out")
    add("--folder", type=Path, metavar="FOLDER", help="keep data and logs here, a new folder; else nowhere")
    add("--samples", type=Path, metavar="FILE", help="write the samples of memory here, as JSON")
    add("--page", type=Path, metavar="FILE", help="write the figures into the marked tables of this page")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(options(sys.argv[1:]), Console(highlight=False, soft_wrap=True)))
    except GapseekError as error:
        sys.exit(f"evals.soak: {error.sentence}")
    except httpx.HTTPError as error:
        sys.exit(
            f"evals.soak: The server did not answer, which is a failure by itself: {error or type(error).__name__}"
        )
