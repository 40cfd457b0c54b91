"""The progress bar of measurements, which time themselves and have one part; that of commands is api/meter.py."""

from __future__ import annotations

from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn


def progress(console: Console) -> Progress:
    """A bar with the time so far and the count, gone when it is full."""
    columns = (*Progress.get_default_columns(), TimeElapsedColumn(), TextColumn("{task.completed}/{task.total}"))
    return Progress(*columns, console=console, transient=True)
