"""The progress bar of commands: how far long work in one or several parts has come, on stderr, for a person.

That of measurements is in `evals/progress.py`.
"""

from __future__ import annotations

from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class Rate(ProgressColumn):
    """How many a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="dim")


class Meter:
    """A bar a part, shown from the first progress on and gone at the end; nothing where nobody looks."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (
            *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn()),
            TextColumn("{task.fields[note]}", style="dim"),
        )
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

    def __call__(self, part: str, done: int, total: int, note: str = "") -> None:
        """So much of a part is done; `note` says what is at work."""
        if not self._progress.task_ids:
            self._progress.start()
        known = {task.description: task.id for task in self._progress.tasks}
        bar = known[part] if part in known else self._progress.add_task(part, total=total, note="")
        self._progress.update(bar, completed=done, note=escape(note))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the bars away."""
        if self._progress.task_ids:
            self._progress.stop()
