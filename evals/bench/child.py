"""`python -m evals.bench.child INDEX FOLDER`: one index in a process of its own: start-up, memory, times of queries.

FOLDER holds `questions.json` and `questions.npy`, which the parent wrote. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from evals.bench.gapseek import ASKER, OWNER, Gapseek
from evals.bench.material import TENTHS
from evals.bench.timing import interleaved
from evals.bench.vectors import DIMENSION, Prepared

NAME: Final = "bench"
"""The embedder's name in the bench's indexes."""
_STATUS: Final = Path("/proc/self/status")


def memory() -> dict[str, int]:
    """Resident bytes of this process, and those of them that are no file's; empty where the kernel does not say."""
    if not _STATUS.is_file():
        return {}
    fields = dict(line.split(":", 1) for line in _STATUS.read_text("ascii").splitlines())
    names = {"resident": "VmRSS", "anonymous": "RssAnon"}
    return {ours: int(fields[theirs].split()[0]) * 1024 for ours, theirs in names.items()}


def measure(index: Path, questions: list[str], embedder: Prepared, rounds: int) -> dict[str, Any]:
    """Open, ask for the first time in each way, then ask `rounds` questions in each of three ways."""
    asked = iter(questions)
    begun = time.perf_counter()
    with Gapseek(index, embedder) as ours:
        firsts = {"open_ms": _since(begun)}
        ours.lane(next(asked), "keyword")
        firsts["first_keyword_ms"] = _since(begun)
        ours.search(next(asked))
        firsts["first_hybrid_ms"] = _since(begun)
        filtered = time.perf_counter()
        ours.search(next(asked), 0)
        firsts["new_filter_ms"] = _since(filtered)
        times = _queries(ours, asked, rounds) if ours.count() else {}
        return firsts | times | {"memory": memory()}


def _queries(ours: Gapseek, asked: Iterator[str], rounds: int) -> dict[str, Any]:
    tenths = count()
    calls: dict[str, Callable[[], object]] = {
        "plain": lambda: ours.search(next(asked), None, OWNER),
        "filter": lambda: ours.search(next(asked), next(tenths) % TENTHS, OWNER),
        "access": lambda: ours.search(next(asked), None, ASKER),
    }
    interleaved(list(calls.values()), TENTHS)  # every filter once, so that the times are not those of new filters
    times = interleaved(list(calls.values()), rounds)
    return {name: of_one.milliseconds() for name, of_one in zip(calls, times, strict=True)}


def _since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 1)


def main(index: Path, folder: Path, rounds: int) -> None:
    questions: list[str] = json.loads((folder / "questions.json").read_text("utf-8"))
    rows = np.load(folder / "questions.npy")
    places = {question: place for place, question in enumerate(questions)}
    embedder = Prepared(NAME, {}, places, (np.zeros((0, DIMENSION), np.float32), rows))
    print(json.dumps(measure(index, questions, embedder, rounds)))  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
