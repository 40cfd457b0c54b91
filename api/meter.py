"""How far long work in several parts has come: counts and rates on stderr, for a person."""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class Rate(ProgressColumn):
    """How many a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="dim")


class Meter:
    """A bar a part, shown from its first progress on; nothing where nobody looks."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, disable=not console.is_terminal)

    def __call__(self, part: str, done: int, total: int) -> None:
        known = {task.description: task.id for task in self._progress.tasks}
        bar = known[part] if part in known else self._progress.add_task(part, total=total)
        self._progress.update(bar, completed=done)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._progress.stop()
