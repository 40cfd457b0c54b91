"""`python -m evals.gate`: the offline modes asked of the carried sets, and held to the floors of thresholds.toml."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.console import Console

from errors import BadRequest
from evals.evaluation import Wanted, evaluate
from evals.measure import ALL
from evals.progress import bars
from settings import Settings

THRESHOLDS: Final = Path(__file__).with_name("thresholds.toml")
LEAST, MOST = "at_least", "at_most"
SEED: Final = 7

Limits = Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]
"""By set, mode, `at_least` or `at_most`, and figure."""


@dataclass(frozen=True)
class Miss:
    """A figure on the wrong side of its limit; `value` is None where there is no such figure."""

    set: str
    mode: str
    figure: str
    value: float | None
    side: str
    limit: float

    def __str__(self) -> str:
        value = "nothing" if self.value is None else f"{self.value:.3f}"
        return (
            f"{self.set}, {self.mode}: {self.figure} is {value}, {self.side.replace('_', ' ')} {self.limit:.3f} wanted"
        )


def limits(file: Path = THRESHOLDS) -> Limits:
    """The limits of a file. Raises `BadRequest` for one that holds anything else."""
    read = tomllib.loads(file.read_text("utf-8"))
    for name, modes in read.items():
        for mode, sides in modes.items():
            if sides.keys() - {LEAST, MOST} or not sides:
                raise BadRequest(f"The limits of {name}, {mode} are `{LEAST}` and `{MOST}`.")
    return read


def misses(name: str, scores: Sequence[Mapping[str, Any]], wanted: Limits) -> Iterator[Miss]:
    """What of the scores of a set lies on the wrong side of a limit."""
    whole = {row["mode"]: row for row in scores if row["kind"] == ALL}
    for mode, sides in wanted[name].items():
        figures = {**whole[mode]["quality"], **whole[mode]["effort"]} if mode in whole else {}
        for side, given in sides.items():
            for figure, limit in given.items():
                value = figures.get(figure)
                if value is None or (value < limit if side == LEAST else value > limit):
                    yield Miss(name, mode, figure, value, side, limit)


def embedded(folder: Path) -> Settings:
    """The defaults, whatever the environment says."""
    return Settings.model_construct(data=folder)


def main() -> int:
    """0 when every figure keeps its limit; else 1, and a line for each that does not."""
    wanted, found = limits(), list[Miss]()
    for name, modes in wanted.items():
        with TemporaryDirectory(prefix="gapseek-gate-") as folder, bars(Console(stderr=True)) as tick:
            asked = Wanted(name, Path(folder) / "out", ",".join(modes), at_once=2, seed=SEED)
            scores = evaluate(asked, embedded(Path(folder)), tick)["scores"]
        found += misses(name, scores, wanted)
    for miss in found:
        print(miss, file=sys.stderr)  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
