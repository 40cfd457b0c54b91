"""Gapseek beside the others over the same pieces: hybrid, filtered, and the keyword lane alone."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evals.bench.bare import Bare
from evals.bench.contender import Contender, Loaded
from evals.bench.exact import Exact
from evals.bench.gapseek import Gapseek
from evals.bench.hybrid import Row, compare
from evals.bench.hybrid import keyword as keyword_lane
from evals.bench.rivals import installed

MOST_SECONDS: Final = 120.0
"""Longest time for the rounds of one comparison: the slowest contender decides how many there are."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Beside:
    """Rows of the two comparisons, and how each contender is used."""

    hybrid: list[Row]
    keyword: list[Row]
    notes: dict[str, str]


def beside(ours: Gapseek, exact: Exact, loaded: Loaded, questions: Iterator[str], rounds: int, say: Say) -> Beside:
    """Build the others' indexes in a temporary folder, then ask all in turn."""
    size = len(loaded.pieces)
    with TemporaryDirectory(prefix="gapseek-bench-") as folder:
        contenders: list[Contender] = [ours, Bare(loaded, exact.okapi), *_rivals(loaded, Path(folder), say)]
        say(f"{size:,} chunks: {len(contenders)} contenders in turn")
        with _without_others_garbage():
            rows = compare(contenders, exact, questions, rounds, MOST_SECONDS)
            words = keyword_lane(ours, exact, questions, rounds, MOST_SECONDS)
    notes = {contender.name: contender.note for contender in contenders}
    return Beside([{"chunks": size} | row for row in rows], [{"chunks": size} | row for row in words], notes)


def _rivals(loaded: Loaded, folder: Path, say: Say) -> Iterator[Contender]:
    size = len(loaded.pieces)
    for name, build in installed(say):
        say(f"{size:,} chunks: {name} builds its index")
        try:
            contender = build(loaded, folder / name)
        except Exception as error:  # of any kind: what fails is another's code, and Gapseek is measured all the same
            say(f"{size:,} chunks: {name} failed and is left out: {error!r}")
        else:
            yield contender


@contextmanager
def _without_others_garbage() -> Iterator[None]:
    """Keep the collector from walking, in one contender's time, through the millions of objects that others hold."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
