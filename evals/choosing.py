"""`python -m evals.choosing [FOLDER...] [--price NAME=IN,OUT] [--dated DAY]`: which mode to choose, as measured.

A FOLDER is one that `gapseek eval` wrote. What it comes down to is kept in docs/choosing-a-mode.json, and the page is
written from there; without a FOLDER the page is written again. A price is of a million tokens sent and received.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from errors import BadRequest, GapseekError
from evals.bootstrap import mean_interval
from evals.choice import choose
from evals.choosing_tables import blocks
from evals.compare import beside, by_kind
from evals.markdown import fill
from evals.pairing import Group, Part, parts, right, shared
from evals.report.content import base_of
from evals.report.source import source
from evals.report.write import command, read
from evals.results import write_json
from evals.scores import scores
from evals.variants import variant

PAGE: Final = Path("docs/choosing-a-mode.md")
KEPT: Final = PAGE.with_suffix(".json")


def measured(folder: Path) -> list[dict[str, Any]]:
    """What the records of a folder say of its modes, a set each, as plain JSON. Raises `BadRequest` without records."""
    kept, records = read(folder)
    return [_set(part, command(kept), kept.get("versions", {})) for part in parts(records)]


def _set(part: Part, said: str, versions: Mapping[str, Any]) -> dict[str, Any]:
    names = [mode for mode in dict.fromkeys(record.mode for record in part.records) if variant(mode).plain]
    asked = shared(part.records, names)
    if not any(asked.values()):
        raise BadRequest(f"No question of {part.name} was asked in all of its modes: run that eval to its end.")
    records = [record for groups in asked.values() for group in groups for record in group]
    base, choice = base_of(names), choose(asked)
    return {
        "set": part.name,
        "source": source(records, said, versions),
        "questions": len(asked[base]),
        "choice": choice.mode,
        "beaten": {mode: pair.base if pair.certainly_worse else pair.other for mode, pair in choice.beaten.items()},
        "modes": [_mode(mode, groups) for mode, groups in asked.items()],
        "gains": [asdict(found) for found in beside(records, base)],
        "kinds": [asdict(found) for found in by_kind(records, base)],
    }


def _mode(mode: str, groups: Sequence[Group]) -> dict[str, Any]:
    records = [record for group in groups for record in group]
    found = scores(records)
    return {
        "mode": mode,
        "right": asdict(mean_interval([right(group) for group in groups])),
        "refused": found["quality"]["answerable refused"],
        "effort": found["effort"],
        "input_tokens": fmean(record.input_tokens for record in records),
        "output_tokens": fmean(record.output_tokens for record in records),
        "time": found["time"]["whole"],
    }


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


def publish(folders: Iterable[Path], prices: Sequence[Mapping[str, Any]], dated: str) -> None:
    """Take in what was measured and what it costs, then write the page. A set stays until it is measured anew."""
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {"sets": {}, "prices": []}
    kept["sets"] |= {found["set"]: found for folder in folders for found in measured(folder)}
    kept["prices"] = [{**one, "dated": dated} for one in prices] or kept["prices"]
    page = fill(PAGE.read_text("utf-8"), blocks(kept))
    write_json(KEPT, kept)
    PAGE.write_text(page, "utf-8")


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.choosing", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="results of gapseek eval")
    parser.add_argument(
        "--price", type=price, action="append", default=[], metavar="NAME=IN,OUT", help="may be repeated"
    )
    parser.add_argument("--dated", type=date.fromisoformat, default=date.today(), help="the day these prices hold of")
    return parser.parse_args(arguments)


def run(arguments: Sequence[str]) -> None:
    """The command; what cannot be read ends it with one sentence."""
    given = options(arguments)
    try:
        publish(given.folders, given.price, given.dated.isoformat())
    except GapseekError as error:
        sys.exit(f"evals.choosing: {error.sentence}")


if __name__ == "__main__":
    run(sys.argv[1:])
