"""What is not a run, in a terminal: steps, hits, JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.terminal import harmless, said

_WIDEST: Final = 1_000_000
"""Columns of what is no terminal: more than any cell has characters that are worth showing."""


def step_rows(history: Mapping[str, Any]) -> Table:
    """The steps of a thread: checkpoint, round, node, milliseconds, what it did, what it cost, why it went on so."""
    table = empty_table("checkpoint", "round", "node", "ms", "did", "cost", "why")
    for step in history["steps"]:
        took = "" if step["duration_ms"] is None else f"{step['duration_ms']:.0f}"
        did, _ = said(step["node"], step)
        told = (harmless(text) for text in (did, cost_words(step["cost"]), step["why"]["sentence"]))
        table.add_row(step["checkpoint_id"], str(step["round"] + 1), step["node"], took, *map(Text, told))
    return table


def cost_words(cost: Mapping[str, Any]) -> str:
    """A step's cost or a run's, without what it cost nothing of."""
    tokens = cost["input_tokens"] + cost["output_tokens"]
    counted = {"searches": cost["searches"], "calls": cost["model_calls"], "tools": cost["tool_calls"]}
    parts = [f"{number} {kind}" for kind, number in counted.items() if number]
    parts += [f"{'~' if cost['estimated'] else ''}{tokens} tokens"] if tokens else []
    return ", ".join([*parts, *([f"{cost['cost']:g}"] if cost["cost"] else [])])


def thread_rows(page: Mapping[str, Any]) -> Table:
    """Threads: id, how the latest turn stands, its question, and what a person is asked for."""
    table = empty_table("thread", "status", "question", "missing")
    for thread in page["threads"]:
        told = (thread["question"] or "", "; ".join(thread["missing"]))
        status = "running" if thread["running"] else "unfinished" if thread["unfinished"] else thread["status"] or ""
        table.add_row(thread["thread_id"], status, *(Text(harmless(text)) for text in told))
    return table


def hit_rows(found: Mapping[str, Any]) -> Table:
    """The hits of a search: rank, title, chunk (the document's id, #, the hash of its text), text."""
    table = empty_table("rank", "title", "chunk", "text")
    for hit in found["hits"]:
        cells = (hit["title"], hit["chunk_id"], hit["text"])
        table.add_row(str(hit["rank"]), *(Text(harmless(cell)) for cell in cells))
    return table


def mode_rows(page: Mapping[str, Any]) -> Table:
    """The modes of an ask: name, whether it can be used here, rounds at most, what it does and what it does without."""
    table = empty_table("mode", "here", "rounds", "does")
    for mode in page["modes"]:
        here = ("default" if mode["default"] else "yes") if mode["available"] else "no"
        rounds = str(mode["path"]["rounds_at_most"]) if mode["path"] else ""
        lacking = [mode["why_not"]] if mode["why_not"] else mode["degraded"]
        table.add_row(mode["mode"], here, rounds, " ".join([mode["summary"]["en"], *lacking]))
    return table


def show(table: Table) -> None:
    """On stdout: within the width of a terminal; for a pipe or a file no cell is cut or folded."""
    console = Console()
    if not console.is_terminal:
        console.width = _WIDEST
        for column in table.columns:
            column.max_width = None
    console.print(table, soft_wrap=False)


def print_json(value: Mapping[str, Any]) -> None:
    """For machines: one JSON object on stdout, nothing replaced in it."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def empty_table(*columns: str) -> Table:
    """An empty table with these columns."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in ("checkpoint", "thread"))
    return table
