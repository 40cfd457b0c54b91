"""The short summary of an eval in Markdown: what was asked of what, and the figures of each mode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, get_args

from evals.markdown import table
from evals.measure import ALL
from evals.outcome import NO_REASON
from state import StopReason

Rows = Sequence[Mapping[str, Any]]

ANSWERS: Final = ("right", "points", "contains", "token F1", "exact match", "citation precision", "citation recall")
FOUND: Final = ("Recall@5", "all gold@5", "MRR@10", "nDCG@10", "gold in evidence")
REFUSED: Final = ("abstention precision", "abstention recall", "abstention F1", "answerable refused")
WRONG: Final = (
    *("answered directly", "small talk looked up", "sufficient without gold", "went on with gold"),
    *("refused with gold", "cites what it must not", "failed"),
)
JUDGED: Final = ("judged right",)
NOTHING: Final = "–"


def overview(kept: Mapping[str, Any]) -> str:
    """The whole page, from what `results.json` holds. A table that says nothing of these questions is left out."""
    whole = [row for row in kept["scores"] if row["kind"] == ALL]
    kinds = [row for row in kept["scores"] if row["kind"] != ALL]
    parts = {
        "Answers": _quality(whole, (*ANSWERS, *JUDGED)),
        "What was found": _quality(whole, FOUND),
        "Refusing": _quality(whole, REFUSED),
        "What went wrong": _quality(whole, WRONG),
        "What an ask took": _effort(whole),
        "How long an ask took, in milliseconds": _time(whole),
        "Why asks stopped": _stops(whole),
        "By kind of question": _quality(kinds, (*ANSWERS[:2], *REFUSED[1:2], *REFUSED[3:])),
        "Over repeats": _spread(whole),
    }
    tables = (f"## {title}\n\n{found}\n" for title, found in parts.items() if found)
    return "\n".join([f"# {kept['set']}\n", _ran(kept), *tables])


def named(row: Mapping[str, Any]) -> str:
    """A row by its mode, and by what else sets it apart."""
    under = {None: "", True: " + filter", False: ", no filter"}[row["filtered"]]
    return f"{row['mode']}{under}" + ("" if row["kind"] == ALL else f": {row['kind'] or 'no kind'}")


def _ran(kept: Mapping[str, Any]) -> str:
    versions = kept["versions"]
    packages = ", ".join(f"{name} {number}" for name, number in versions["packages"].items())
    lines = [
        f"{kept['questions']} questions of `{kept['set']}`, asked {_times(kept['repeat'])} with seed {kept['seed']}.",
        f"Reasoner {', '.join(kept['reasoners']) or NOTHING}; embedder {', '.join(kept['embedders']) or 'none'}.",
        f"Gapseek {versions['gapseek']}, code {kept['code']}, settings {kept['settings']['fingerprint']}, "
        f"documents {kept['knowledge']}.",
        f"Python {versions['python']}, {versions['processors']} processors, {versions['system']}; {packages}.",
    ]
    lines += [f"{kept['missing']} asks have no result yet: run the same command again."] if kept["missing"] else []
    lines += [kept["agreement"]] if kept.get("agreement") else []
    return "  \n".join(lines) + "\n"


def _times(repeat: int) -> str:
    return "once" if repeat == 1 else f"{repeat} times"


def _quality(rows: Rows, wanted: Sequence[str]) -> str:
    columns = [name for name in wanted if any(row["quality"].get(name) is not None for row in rows)]
    if not columns:
        return ""
    lines = [(named(row), str(row["asks"]), *(score(row["quality"].get(name)) for name in columns)) for row in rows]
    return table(("mode", "asks", *columns), lines)


def _effort(rows: Rows) -> str:
    columns = list(rows[0]["effort"]) if rows else []
    return _table(columns, rows, lambda row, name: amount(row["effort"].get(name)))


def _time(rows: Rows) -> str:
    columns = [f"{what} {share}" for what in ("whole", "first event", "first token") for share in ("p50", "p95", "p99")]

    def cell(row: Mapping[str, Any], column: str) -> str:
        what, _, share = column.rpartition(" ")
        return NOTHING if row["time"][what] is None else f"{row['time'][what][share]:,.0f}"

    return _table(columns, rows, cell)


def _stops(rows: Rows) -> str:
    order = [*get_args(StopReason), NO_REASON]
    seen = {reason for row in rows for reason in row["stop reasons"]}
    columns = sorted(seen, key=lambda reason: order.index(reason) if reason in order else len(order))
    return _table(columns, rows, lambda row, reason: str(row["stop reasons"].get(reason, 0)))


def _spread(rows: Rows) -> str:
    if not any(row["spread"] for row in rows):
        return ""
    found = [(row, name, one) for row in rows for name, one in row["spread"].items() if one["most"] > one["least"]]
    if not found:
        return "Every figure of quality is the same in all repeats."
    lines = [
        (f"{named(row)}: {name}", *(score(one[part]) for part in ("mean", "deviation", "least", "most")))
        for row, name, one in found
    ]
    return table(("mode: figure", "mean", "standard deviation", "least", "most"), lines)


def _table(columns: Sequence[str], rows: Rows, cell: Callable[[Mapping[str, Any], str], str]) -> str:
    if not columns or not rows:
        return ""
    lines: Iterable[Sequence[str]] = ((named(row), *(cell(row, column) for column in columns)) for row in rows)
    return table(("mode", *columns), lines)


def score(value: float | None) -> str:
    """A share or mean between 0 and 1."""
    return NOTHING if value is None else f"{value:.3f}"


def amount(value: float | None) -> str:
    """A count or a price of one ask."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{value:.4g}"
