"""The threads of a file, told from its index; and what is said when they cannot be."""

from pathlib import Path

import pytest

from context.retrieval import Principal
from corpus.store.faults import StoreFailed
from graph.checkpoints import Threads, open_saver
from graph.saved import SavedThreads

INDEXES = "SELECT count(*) FROM sqlite_master WHERE name = 'gapseek_interrupts'"


async def test_the_index_is_made_as_the_file_is_opened_and_not_by_who_counts(tmp_path: Path) -> None:
    async with open_saver(tmp_path / "threads.sqlite") as saver:
        assert isinstance(saver, Threads)
        assert [tuple(row) for row in await saver.conn.execute_fetchall(INDEXES)] == [(1,)]
        said: list[str] = []
        await saver.conn.set_trace_callback(said.append)
        assert await SavedThreads(saver).count_waiting(Principal()) == 0
        assert [statement.split()[0] for statement in said] == ["SELECT"]


async def test_a_file_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path) -> None:
    async with open_saver(tmp_path / "threads.sqlite") as saver:
        assert isinstance(saver, Threads)
        await saver.conn.execute("DROP TABLE writes")
        with pytest.raises(StoreFailed, match="file of threads"):
            await SavedThreads(saver).count_waiting(Principal())
