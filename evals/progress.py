"""The progress bar of measurements, which time themselves and have one part; that of commands is api/meter.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID, TextColumn, TimeElapsedColumn


def progress(console: Console) -> Progress:
    """A bar with the time so far and the count, gone when it is full."""
    columns = (*Progress.get_default_columns(), TimeElapsedColumn(), TextColumn("{task.completed}/{task.total}"))
    return Progress(*columns, console=console, transient=True)


@contextmanager
def bars(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """What is told how much of a part is done, and shows a bar a part."""
    with progress(console) as shown:
        known: dict[str, TaskID] = {}

        def tick(part: str, done: int, total: int) -> None:
            bar = known[part] if part in known else known.setdefault(part, shown.add_task(part, total=total))
            shown.update(bar, completed=done)

        yield tick
