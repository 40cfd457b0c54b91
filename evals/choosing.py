"""`python -m evals.choosing [FOLDER...] [--price NAME=IN,OUT] [--dated DAY]`: which mode to choose, as measured.

A FOLDER is one that `gapseek eval` wrote. What it comes down to is kept in docs/measured-modes.json, and from there
docs/choosing-a-mode.md and the tables of modes in docs/benchmarks.md are written, without a FOLDER again. A price is of
a million tokens sent and received; `--tokens` takes folders that `evals.metered` wrote.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from errors import GapseekError
from evals import publish as benchmarks
from evals.choosing_tables import blocks
from evals.condensed import KEPT, measured
from evals.markdown import fill
from evals.results import write_json

PAGE: Final = Path("docs/choosing-a-mode.md")


def price(text: str) -> dict[str, Any]:
    """`NAME=IN,OUT`, of a million tokens each."""
    name, _, numbers = text.rpartition("=")
    try:
        sent, received = map(float, numbers.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=IN,OUT, such as small=0.15,0.60") from error
    if not name or not 0 <= sent < float("inf") or not 0 <= received < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} has no name, or a price that is none")
    return {"name": name, "input": sent, "output": received}


def publish(
    folders: Iterable[Path], prices: Sequence[Mapping[str, Any]], dated: str, metered: Iterable[Path] = ()
) -> None:
    """Take in what was measured and what it costs, then write the pages. A set stays until it is measured anew."""
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {"sets": {}, "prices": []}
    kept["sets"] |= {found["set"]: found for folder in folders for found in measured(folder)}
    kept["tokens"] = kept.get("tokens", {}) | {f["set"]: f for folder in metered for f in measured(folder)}
    kept["prices"] = [{**one, "dated": dated} for one in prices] or kept["prices"]
    page = fill(PAGE.read_text("utf-8"), blocks(kept))
    write_json(KEPT, kept)
    PAGE.write_text(page, "utf-8")
    benchmarks.write_page()


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.choosing", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="results of gapseek eval")
    parser.add_argument(
        "--price", type=price, action="append", default=[], metavar="NAME=IN,OUT", help="may be repeated"
    )
    parser.add_argument("--tokens", nargs="+", type=Path, default=[], metavar="FOLDER", help="of evals.metered")
    parser.add_argument("--dated", type=date.fromisoformat, default=date.today(), help="the day these prices hold of")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str]) -> None:
    """The command; what cannot be read ends it with one sentence."""
    given = options(arguments)
    try:
        publish(given.folders, given.price, given.dated.isoformat(), given.tokens)
    except GapseekError as error:
        sys.exit(f"evals.choosing: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
