"""The report of a folder that `gapseek eval` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from errors import BadRequest
from evals.evaluation import RECORDS, RESULTS, owned
from evals.record import Record, Records
from evals.report.blocks import Report
from evals.report.content import report
from evals.report.html import page
from evals.report.markdown import summary

PAGE: Final = "report.html"
FINDINGS: Final = "findings.md"


def write(folder: Path) -> Report:
    """Write page and findings beside the records, each whole or not at all. Raises as `read` does."""
    kept, records = read(folder)
    found = report(
        records, command(kept), kept.get("versions", {}), title=f"Gapseek eval: {kept.get('set', folder.name)}"
    )
    for name, content in ((PAGE, page(found)), (FINDINGS, summary(found))):
        beside = folder / f"{name}.new"
        beside.write_text(content, "utf-8")
        beside.replace(folder / name)
    return found


def command(kept: Mapping[str, Any]) -> str:
    """What was run, by the names of what it was run on; paths of the machine it ran on stay there."""
    if not kept:
        return "gapseek eval"
    if program := kept.get("program"):
        return f"{program} {kept['set']} --limit {kept['questions']} --seed {kept['seed']}"
    said = ["gapseek eval", str(kept["set"]), "--modes", ",".join(kept["modes"])]
    said += ["--limit", str(kept["questions"]), "--seed", str(kept["seed"])]
    said += ["--concurrency", str(kept["at_once"])] if "at_once" in kept else []
    said += ["--repeat", str(kept["repeat"])] if kept["repeat"] > 1 else []
    budget = kept["settings"].get("budget", {})
    return " ".join([*said, *(f"--budget {name}={value}" for name, value in budget.items())])


def read(folder: Path) -> tuple[dict[str, Any], list[Record]]:
    """The results of a folder, empty if there are none yet, and its records.

    Raises `BadRequest` without any record, and `Conflict` while an eval writes there: a line is half there meanwhile.
    """
    if not (folder / RECORDS).is_file():
        raise BadRequest(f"That folder has no {RECORDS}: give the one that gapseek eval wrote its results into.")
    with owned(folder):
        kept = _results(folder)
        return kept, _records(folder, kept)


def _results(folder: Path) -> dict[str, Any]:
    file = folder / RESULTS
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    return found


def _records(folder: Path, kept: Mapping[str, Any]) -> list[Record]:
    """Those of the code that the results are of, and of each question as it was asked last: others were answered by
    another machine, or to something else."""
    found = list(Records(folder / RECORDS, kept.get("code")))
    if not found:
        raise BadRequest(f"The file {RECORDS} holds no answered question yet.")
    last = {(record.set, record.id): (record.asked, record.knowledge) for record in found}
    return [record for record in found if last[record.set, record.id] == (record.asked, record.knowledge)]
