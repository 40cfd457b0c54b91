"""An ingest counts files and chunks, and says how fast it goes."""

from __future__ import annotations

import pytest

from api.meter import Meter
from api.progress import IngestProgress

Shown = list[tuple[str, int, int, str]]


class Recording(Meter):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: Shown = []

    def __call__(self, part: str, done: int, total: int, note: str = "") -> None:
        self.shown.append((part, done, total, note))


@pytest.fixture
def meter() -> Recording:
    return Recording()


@pytest.fixture
def progress(meter: Recording) -> IngestProgress:
    ticks = iter(range(100))
    return IngestProgress(2, meter, clock=lambda: float(next(ticks)))


def test_chunks_are_counted_within_a_file_and_over_files(progress: IngestProgress, meter: Recording) -> None:
    progress.chunks({"doc_id": "a/b.md", "done": 64, "total": 100})
    progress.chunks({"doc_id": "a/b.md", "done": 100, "total": 100})
    progress.file("a/b.md")
    progress.chunks({"doc_id": "c.md", "done": 20, "total": 20})
    assert meter.shown == [
        ("Files", 0, 2, "b.md 64/100 chunks · 64 chunks/s"),
        ("Files", 0, 2, "b.md 100/100 chunks · 50 chunks/s"),
        ("Files", 1, 2, "b.md · 33 chunks/s"),
        ("Files", 1, 2, "c.md 20/20 chunks · 30 chunks/s"),
    ]


def test_a_files_name_cannot_speak_to_the_terminal(progress: IngestProgress, meter: Recording) -> None:
    progress.file("[red]x\x1b[2J\n" + "y" * 99)
    (_, _, _, note), *_ = meter.shown
    assert note.startswith("[red]x\\x1b[2J\\ny")
    assert len(note) < 60
