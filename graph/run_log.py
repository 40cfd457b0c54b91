"""Which runs began and how each ended, in the file of threads: so a run that the process died in can be told from one
that somebody stopped."""

from __future__ import annotations

from typing import Any, Final, Literal, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from corpus.store.faults import THREADS_NAME, translated

End = Literal["ended", "failed", "cancelled"]

RUNS: Final = "gapseek_runs"
_TABLE: Final = f"""
    CREATE TABLE IF NOT EXISTS {RUNS} (thread_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, ended TEXT) WITHOUT ROWID
"""
"""The last run of each thread; `ended` is NULL while it works."""


class RunLog:
    """The last run of each thread of a SQLite saver. Every method raises `StoreFailed`."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        self._saver = cast(AsyncSqliteSaver, saver)

    async def begin(self, thread_id: str, run_id: str) -> None:
        """A run takes the thread; one before it that never ended is forgotten."""
        await self._write(f"INSERT OR REPLACE INTO {RUNS} VALUES (?, ?, NULL)", thread_id, run_id)  # noqa: S608  # only constants

    async def end(self, thread_id: str, run_id: str, ended: End) -> None:
        """The run has let go of its thread."""
        where = "WHERE thread_id = ? AND run_id = ?"
        await self._write(f"UPDATE {RUNS} SET ended = ? {where}", ended, thread_id, run_id)  # noqa: S608  # only constants

    async def open_run(self, thread_id: str) -> str | None:
        """The run of this thread that has no end: it works, or the process died in it."""
        await self._prepare()
        with translated(THREADS_NAME):
            query = f"SELECT run_id FROM {RUNS} WHERE thread_id = ? AND ended IS NULL"  # noqa: S608  # only constants
            async with self._saver.lock, self._saver.conn.execute(query, (thread_id,)) as cursor:
                row = await cursor.fetchone()
        return None if row is None else str(row[0])

    async def forget(self, thread_id: str) -> None:
        """Drop what is known of a thread that is deleted."""
        await self._write(f"DELETE FROM {RUNS} WHERE thread_id = ?", thread_id)  # noqa: S608  # only constants

    async def _write(self, statement: str, *values: Any) -> None:
        await self._prepare()
        with translated(THREADS_NAME):
            async with self._saver.lock:
                await self._saver.conn.execute(statement, values)
                await self._saver.conn.commit()

    async def _prepare(self) -> None:
        await self._saver.setup()
        with translated(THREADS_NAME):
            async with self._saver.lock:
                await self._saver.conn.execute(_TABLE)
