"""The bar counts files and chunks, and says how fast it goes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.text import Text

from api.progress import IngestBar


@pytest.fixture
def bar() -> Iterator[IngestBar]:
    ticks = iter(range(100))
    with IngestBar(2, clock=lambda: float(next(ticks))) as bar:
        yield bar


def shown(bar: IngestBar) -> str:
    (task,) = bar._progress.tasks
    return f"{task.completed:.0f}/{task.total:.0f} {Text.from_markup(task.description).plain}"


def test_chunks_are_counted_within_a_file_and_over_files(bar: IngestBar) -> None:
    bar.chunks({"doc_id": "a/b.md", "done": 64, "total": 100})
    assert shown(bar) == "0/2 b.md 64/100 chunks · 64 chunks/s"
    bar.chunks({"doc_id": "a/b.md", "done": 100, "total": 100})
    bar.file("a/b.md")
    assert shown(bar) == "1/2 b.md · 33 chunks/s"
    bar.chunks({"doc_id": "c.md", "done": 20, "total": 20})
    assert shown(bar) == "1/2 c.md 20/20 chunks · 30 chunks/s"


def test_a_files_name_cannot_speak_to_the_terminal(bar: IngestBar) -> None:
    bar.file("[red]x\x1b[2J" + "y" * 99)
    assert "\x1b" not in shown(bar)
    assert "[red]x" in shown(bar)
    assert len(shown(bar)) < 80
