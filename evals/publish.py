"""`python -m evals.publish`: results into JSON files under `docs`, and from there into the pages and their plot.

Without options the pages are written again from what is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from errors import BadRequest, GapseekError
from evals import answers_report, mode_tables
from evals.baselines import Baselines, baselines
from evals.bench.tables import BLOCKS
from evals.condensed import KEPT as MODES
from evals.markdown import fill
from evals.pairing import parts
from evals.record import Record
from evals.report.source import source
from evals.report.write import command, read
from evals.results import report, write_json
from evals.tables import retrieval_blocks

PAGE: Final = Path("docs/benchmarks.md")
KEPT: Final = PAGE.with_suffix(".json")
ANSWERS_PAGE: Final = Path("docs/answers.md")
ANSWERS: Final = ANSWERS_PAGE.with_suffix(".json")
SHOWN: Final = ("hybrid", "loop", "agent")
"""Modes of the page of answers: one good pass, and those that search again."""
PLOT: Final = Path("docs/img/growth.svg")


def blocks(kept: dict[str, Any]) -> dict[str, str]:
    """Every table of the page."""
    bench: dict[str, Any] = kept.get("bench", {})
    found = {name: write(bench) if name in bench else "Not measured yet." for name, write in BLOCKS.items()}
    known: Baselines = {(name, kind, under): score for name, kind, under, score in kept.get("baselines", [])}
    results = list(report(kept["retrieval"]).sets.values()) if "retrieval" in kept else []
    return found | retrieval_blocks(results, known) | mode_tables.blocks(_kept(MODES))


def write_page() -> None:
    """The page of benchmarks again, from what is kept."""
    PAGE.write_text(fill(PAGE.read_text("utf-8"), blocks(_kept(KEPT))), "utf-8")


def publish(options: argparse.Namespace) -> None:
    """Take in new results, then write pages and plot."""
    _publish_answers(options.answers)
    kept = _kept(KEPT)
    if options.bench is not None:
        kept["bench"] = kept.get("bench", {}) | _read(options.bench)
    if options.retrieval is not None:
        measured = {found["name"]: found for found in kept.get("retrieval", {}).get("sets", [])}
        measured |= {found["name"]: found for found in _read(options.retrieval)["sets"]}
        kept["retrieval"] = {"sets": list(measured.values())}
    if options.baselines:
        kept["baselines"] = [[*key, score] for key, score in baselines(options.baselines).items()]
    write_json(KEPT, kept)
    write_page()
    _draw(kept.get("bench", {}).get("growth", []))


def _publish_answers(folders: Sequence[Path]) -> None:
    if folders:
        write_json(ANSWERS, answers(folders))
    if ANSWERS.is_file():
        kept = json.loads(ANSWERS.read_text("utf-8"))
        ANSWERS_PAGE.write_text(fill(ANSWERS_PAGE.read_text("utf-8"), answers_report.blocks(kept)), "utf-8")


def answers(folders: Iterable[Path]) -> dict[str, Any]:
    """How asks ended in the modes that stand for the others, of folders that `gapseek eval` wrote, as plain JSON."""
    known: list[Record] = []
    sources = []
    for folder in folders:
        results, records = read(folder)
        for part in parts(record for record in records if record.mode in SHOWN):
            sources.append(f"`{part.name}`: {source(part.records, command(results), results.get('versions', {}))}")
            known += [record if part.filtered else replace(record, filtered=False) for record in part.records]
    return {**answers_report.report(known), "sources": sources}


def _draw(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    if find_spec("matplotlib") is None:
        print("No plot is drawn: matplotlib is installed for the bench only (.venv-bench).")  # noqa: T201
        return
    from evals.bench.plots import draw  # of the bench's own requirements

    draw(rows, PLOT)


def _kept(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return found


def _read(file: Path) -> Any:
    return json.loads(_there(file).read_text("utf-8"))


def _there(file: Path) -> Path:
    if not file.is_file():
        raise BadRequest(f"There is no file {file.name} of results.")
    return file


def options(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line, read."""
    parser = argparse.ArgumentParser(prog="python -m evals.publish", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--bench", type=Path, metavar="FILE", help="bench.json of `make bench`, or overhead.json")
    parser.add_argument("--retrieval", type=Path, metavar="FILE", help="results of `evals.retrieval --json`")
    parser.add_argument(
        "--answers", type=Path, nargs="+", default=[], metavar="FOLDER", help="results of `gapseek eval --modes all`"
    )
    parser.add_argument("--baselines", type=Path, metavar="FILE", help="a Markdown table with set, kind and R@5")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    try:
        publish(options(sys.argv[1:]))
    except GapseekError as error:
        sys.exit(f"evals.publish: {error.sentence}")
