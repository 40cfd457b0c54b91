"""The bar is there for a person only, only once there is progress, and shows a text as a text."""

from __future__ import annotations

import pytest

from api.meter import Meter


@pytest.mark.parametrize("done", [0, 2])
def test_where_no_person_looks_no_bar_is_drawn(done: int, capsys: pytest.CaptureFixture[str]) -> None:
    with Meter() as meter:
        for count in range(1, done + 1):
            meter("Indexing", count, done)
    assert capsys.readouterr() == ("", "")


def test_without_progress_a_person_sees_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Meter():
        pass
    assert capsys.readouterr() == ("", "")


def test_a_person_sees_how_far_it_is_and_what_is_at_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "150")
    with Meter() as meter:
        meter("Files", 1, 2, "[red]a.md")
        meter("Embedding", 64, 128)
        meter("Files", 2, 2, "[red]b.md")
        bars = [(task.description, task.completed, task.total) for task in meter._progress.tasks]
    out, err = capsys.readouterr()
    assert bars == [("Files", 2, 2), ("Embedding", 64, 128)]
    assert out == ""
    assert "Files" in err
    assert "[red]b.md" in err
