"""How far an ingest has come: files done of all, the chunks of the file at hand, chunks a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from api.meter import Meter
from corpus.ingest.names import escaped

PART: Final = "Files"
_LONGEST_NAME: Final = 40


class IngestProgress:
    """Counts what a server tells of an upload, and shows it on a meter."""

    def __init__(self, total: int, meter: Meter, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._meter = meter
        self._clock = clock
        self._began = clock()
        self._done = 0
        self._embedded = 0
        self._of_file: dict[str, int] = {}

    def chunks(self, data: Mapping[str, Any]) -> None:
        """A `chunks` event: so many chunks of this document are embedded."""
        self._embedded += data["done"] - self._of_file.get(data["doc_id"], 0)
        self._of_file[data["doc_id"]] = data["done"]
        self._show(f"{_name(data['doc_id'])} {data['done']}/{data['total']} chunks")

    def file(self, doc_id: str) -> None:
        """A file is done."""
        self._of_file.pop(doc_id, None)
        self._done += 1
        self._show(_name(doc_id))

    def rate(self) -> float:
        """Chunks embedded a second since the start."""
        return self._embedded / max(self._clock() - self._began, 1e-9)

    def _show(self, what: str) -> None:
        self._meter(PART, self._done, self._total, f"{what} · {self.rate():.0f} chunks/s")


def _name(doc_id: str) -> str:
    """A file's name without what a terminal would obey."""
    name = escaped(PurePosixPath(doc_id).name)
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
