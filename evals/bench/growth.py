"""One index that grows: at each size the rate of ingest, start-up, memory, disk and the times of queries."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from context.retrieval import Vectors
from evals.bench.gapseek import Gapseek
from evals.bench.material import Piece

ROUNDS: Final = 60
"""Timed questions in each of the three ways of a child."""
QUESTIONS: Final = 3 + 3 * (10 + ROUNDS)
_BATCH: Final = 5_000

Row = dict[str, Any]


def grow(ours: Gapseek, pieces: Sequence[Piece]) -> Row:
    """Add the pieces; chunks a second with postings and vector index, without embedding.

    None for the rate when some were there already: then a former run was cut off.
    """
    added, seconds = 0, 0.0
    for start in range(0, len(pieces), _BATCH):
        begun = time.perf_counter()
        outcomes = ours.add(pieces[start : start + _BATCH])
        seconds += time.perf_counter() - begun
        added += sum(outcome.result == "added" for outcome in outcomes)
    whole = added == len(pieces)
    return {"added": added, "chunks_a_second": round(added / seconds, 1) if whole and seconds else None}


def in_child(index: Path, questions: Mapping[str, Vectors], folder: Path, rounds: int = ROUNDS) -> Row:
    """What `evals.bench.child` measures, in a process that does nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "questions.json").write_text(json.dumps(list(questions), ensure_ascii=False), "utf-8")
    np.save(folder / "questions.npy", np.stack(list(questions.values())))
    command = [sys.executable, "-m", "evals.bench.child", str(index), str(folder), str(rounds)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    found: Row = json.loads(done.stdout.splitlines()[-1])
    return found


def a_chunk(row: Row, empty: Row, chunks: int) -> Row:
    """Memory a chunk: what the process has more than one over an empty index."""
    return {
        f"{kind}_bytes_a_chunk": round((row["memory"][kind] - empty["memory"][kind]) / chunks) for kind in row["memory"]
    }


def disk(folder: Path) -> int:
    """Bytes of all files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
