from __future__ import annotations

from pathlib import Path

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from corpus.held import counted, held_threads


async def test_threads_are_counted_not_their_steps(tmp_path: Path) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        for thread in ("a", "a", "b"):
            await saver.aput({"configurable": {"thread_id": thread, "checkpoint_ns": ""}}, empty_checkpoint(), {}, {})
    assert held_threads(tmp_path) == 2


def test_no_file_and_an_empty_one_hold_none(tmp_path: Path) -> None:
    assert held_threads(tmp_path) == 0
    (tmp_path / "threads.sqlite").touch()
    assert held_threads(tmp_path) == 0


def test_a_damaged_file_cannot_be_counted(tmp_path: Path) -> None:
    (tmp_path / "threads.sqlite").write_bytes(b"garbage" * 1_000)
    assert held_threads(tmp_path) is None


def test_in_words() -> None:
    assert [counted(n) for n in (0, 1, 2, None)] == [
        "no threads",
        "1 thread",
        "2 threads",
        "threads that cannot be counted",
    ]
