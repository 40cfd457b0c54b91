"""How far an ingest has come, in a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from api.terminal import harmless

_LONGEST_NAME: Final = 40


class IngestBar:
    """Files done of all, the file at hand with its chunks, chunks a second; on stderr, for a person, then gone."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        console = Console(stderr=True)
        columns = (BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f} files"), TimeRemainingColumn())
        self._progress = Progress(
            *columns, TextColumn("{task.description}"), console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._progress.add_task("", total=total)
        self._clock = clock
        self._began = clock()
        self._embedded = 0
        self._of_file: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._progress.stop()

    def chunks(self, data: Mapping[str, Any]) -> None:
        """A `chunks` event: so many chunks of this document are embedded."""
        self._embedded += data["done"] - self._of_file.get(data["doc_id"], 0)
        self._of_file[data["doc_id"]] = data["done"]
        self._show(f"{_name(data['doc_id'])} {data['done']}/{data['total']} chunks")

    def file(self, doc_id: str) -> None:
        """A file is done."""
        self._of_file.pop(doc_id, None)
        self._progress.advance(self._task)
        self._show(_name(doc_id))

    def rate(self) -> float:
        """Chunks embedded a second since the start."""
        return self._embedded / max(self._clock() - self._began, 1e-9)

    def _show(self, what: str) -> None:
        self._progress.update(self._task, description=f"{what} · {self.rate():.0f} chunks/s")


def _name(doc_id: str) -> str:
    """A file's name without what a terminal or rich would obey."""
    name = harmless(PurePosixPath(doc_id).name)
    short = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
    return short.replace("[", r"\[")
