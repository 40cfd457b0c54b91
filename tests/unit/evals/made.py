"""Results as tests need them."""

from __future__ import annotations

from evals.measure import ALL, LookAlikes, Measured
from evals.results import SetResult


def row(way: str, recall: float, *, kind: str = ALL, filtered: bool = False) -> Measured:
    return Measured(way, filtered, kind, 10, recall, recall, recall / 2, recall / 4, round(10 * (1 - recall)))


def result(name: str, *rows: Measured, caught: LookAlikes | None = None) -> SetResult:
    return SetResult(name, 100, 200, "hash", rows, caught)
