"""What is not a run, in a terminal: steps, hits, JSON, and how far something has come."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from api.terminal import harmless, said
from corpus.documents import Outcome


def step_rows(history: Mapping[str, Any]) -> Table:
    """The steps of a thread: checkpoint, round, node, milliseconds, what it did."""
    table = empty_table("checkpoint", "round", "node", "ms", "did")
    for step in history["steps"]:
        took = "" if step["duration_ms"] is None else f"{step['duration_ms']:.0f}"
        did, _ = said(step["node"], step)
        table.add_row(step["checkpoint_id"], str(step["round"] + 1), step["node"], took, Text(harmless(did)))
    return table


def thread_rows(page: Mapping[str, Any]) -> Table:
    """Threads: id, how the latest turn stands, its question, and what a person is asked for."""
    table = empty_table("thread", "status", "question", "missing")
    for thread in page["threads"]:
        told = (thread["question"] or "", "; ".join(thread["missing"]))
        status = "running" if thread["running"] else thread["status"] or ""
        table.add_row(thread["thread_id"], status, *(Text(harmless(text)) for text in told))
    return table


def hit_rows(found: Mapping[str, Any]) -> Table:
    """The hits of a search: rank, document, text."""
    table = empty_table("rank", "document", "text")
    for hit in found["hits"]:
        table.add_row(str(hit["rank"]), Text(harmless(hit["title"])), Text(harmless(hit["text"])))
    return table


def print_json(value: Mapping[str, Any]) -> None:
    """For machines: one JSON object on stdout, nothing replaced in it."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


class Bar:
    """A progress bar on stderr: there only for a person, only once there is progress, and gone when it has ended."""

    def __init__(self, title: str) -> None:
        console = Console(stderr=True)
        self._title = title
        self._progress = Progress(console=console, transient=True, disable=not console.is_terminal)

    def __call__(self, done: int, total: int, outcome: Outcome) -> None:
        if not self._progress.task_ids:
            self._progress.start()
            self._progress.add_task(self._title, total=total)
        self._progress.update(self._progress.task_ids[0], completed=done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._progress.task_ids:
            self._progress.stop()


def empty_table(*columns: str) -> Table:
    """An empty table with these columns."""
    table = Table(box=None, header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in ("checkpoint", "thread"))
    return table
