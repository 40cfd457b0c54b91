"""`python -m evals.bench`: every benchmark, one after the other. `--quick` leaves out 100,000 chunks."""

from __future__ import annotations

import argparse
import asyncio
import platform
from importlib.metadata import version

from rich.console import Console

from evals.bench import ask, keyword


def main() -> None:
    """Print what was measured, and on what."""
    arguments = argparse.ArgumentParser(prog="python -m evals.bench", description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="leave out 100,000 chunks")
    arguments.add_argument("--seed", type=int, default=7)
    wanted = arguments.parse_args()
    say = Console(highlight=False, soft_wrap=True).print
    packages = ("numpy", "rank-bm25", "langgraph", "langgraph-checkpoint-sqlite")
    say(f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in packages))
    keyword.run((10_000,) if wanted.quick else (10_000, 100_000), rounds=20, seed=wanted.seed, say=say)
    asyncio.run(ask.run(rounds=30, say=say))


if __name__ == "__main__":
    main()
