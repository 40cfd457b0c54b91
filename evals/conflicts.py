"""Which conflicts are found: `python -m evals.conflicts FOLDER [--keep DATA] [--questions N]`, offline.

FOLDER holds `corpus.jsonl` and `questions.jsonl`. A question's `extra.conflicting` names documents that assert
something false: a conflict with one of them on one side is a true one. Any other is told apart by whether gold stands
on all sides, as where one name means several things.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from rich.console import Console
from rich.table import Table

from context.retrieval import Principal
from context.run import Context
from errors import GapseekError
from evals.lines import records
from evals.sets import from_folder
from graph.build import Graph, build
from graph.turn import begin, recorded, recursion_limit
from graph.wiring import open_services
from settings import Endpoint, Settings
from state import RAGState

KINDS: Final = {
    "asked": "answerable questions",
    "possible": "with gold and a false document above the threshold",
    "true": "with a conflict of which one side is false",
    "ambiguous": "with a conflict between gold documents",
    "other": "with any other conflict",
    "stopped": "stopped by a conflict",
    "superseded": "with a source that yielded to another",
}


def kinds(state: RAGState, gold: Collection[str], false: Collection[str]) -> set[str]:
    """What of the table above one finished ask counts as."""
    threshold = state["dials"]["threshold"]
    evidence = [e for entry in state["ledger"] for e in entry["evidence"]]
    strong = {e["doc_id"] for e in evidence if e["grade"]["score"] >= threshold}
    found = {"asked"} | ({"possible"} if strong & set(gold) and strong & set(false) else set())
    for conflict in state["conflicts"]:
        sides = {side["doc_id"] for side in conflict["sides"]}
        wrong = sides & set(false)
        found.add("true" if wrong and wrong != sides else "ambiguous" if sides <= set(gold) else "other")
    if state["stop_reason"] == "conflict":
        found.add("stopped")
    return found | ({"superseded"} if any("superseded" in e for e in evidence) else set())


async def counted(folder: Path, data: Path, most: int | None) -> Counter[str]:
    """Ask every answerable question of the folder, or the first `most`."""
    asked, none = from_folder(folder), Endpoint()
    settings = Settings(chat=none, small_chat=none, embeddings=none, data=data)
    graph, counts = build(), Counter[str]()
    async with open_services(settings, sample=False) as services:
        await services.index.add(asked.documents, Principal())
        context = services.context_for(Principal())
        answerable = (record for record in records(folder / "questions.jsonl") if record["answerable"])
        for record in islice(answerable, most):
            state = await _finished(graph, context, record["question"])
            counts.update(kinds(state, record["gold"], (record.get("extra") or {}).get("conflicting") or ()))
    return counts


async def _finished(graph: Graph, context: Context, question: str) -> RAGState:
    start: dict[str, Any] = begin(
        question,
        mode="loop",
        filters=None,
        dials=context.dials,
        started_at=context.clock(),
        recorded=recorded(context),
    )
    limit = recursion_limit(context.dials)
    given = cast(RAGState, {"history": [], **start})
    return cast(RAGState, await graph.ainvoke(given, {"recursion_limit": limit}, context=context))


def table(name: str, counts: Mapping[str, int]) -> Table:
    """The counts, a row a kind."""
    shown = Table("questions", "number", title=name)
    for kind, words in KINDS.items():
        shown.add_row(words, str(counts[kind]))
    return shown


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m evals.conflicts", description="Which conflicts are found.")
    parser.add_argument("folder", type=Path, help="holds corpus.jsonl and questions.jsonl")
    parser.add_argument("--keep", type=Path, metavar="DATA", help="keep the index here")
    parser.add_argument("--questions", type=int, metavar="N", help="ask the first N only")
    wanted = parser.parse_args(arguments)
    with ExitStack() as stack:
        data = wanted.keep or Path(stack.enter_context(TemporaryDirectory(prefix="gapseek-conflicts-")))
        try:
            counts = asyncio.run(counted(wanted.folder, data, wanted.questions))
        except GapseekError as error:
            sys.exit(f"evals.conflicts: {error.sentence}")
    Console().print(table(wanted.folder.resolve().name, counts))


if __name__ == "__main__":
    run(sys.argv[1:])
