"""Which runs began and how each ended, in the file of threads: so a run that the process died in can be told from one
that somebody stopped."""

from __future__ import annotations

from typing import Any, Final, Literal, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from corpus.places import RUNS
from corpus.store.faults import THREADS_NAME, translated

End = Literal["ended", "failed", "cancelled"]

_TABLE: Final = f"""
    CREATE TABLE IF NOT EXISTS {RUNS} (thread_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, ended TEXT) WITHOUT ROWID
"""
"""The last run of each thread; `ended` is NULL while it works."""
_BEGIN: Final = f"INSERT OR REPLACE INTO {RUNS} VALUES (?, ?, NULL)"  # noqa: S608  # only constants


class Runs(Protocol):
    """The last run of each thread, and how it ended."""

    async def begin(self, thread_id: str, run_id: str) -> str | None:
        """A run takes the thread. Gives the run before it where that never ended: the process died in it."""
        ...

    async def take_back(self, thread_id: str, died: str) -> None:
        """The run that took the thread wrote nothing into it: it stands again as that which died had left it."""
        ...

    async def end(self, thread_id: str, run_id: str, ended: End) -> None:
        """The run has let go of its thread."""
        ...

    async def open_run(self, thread_id: str) -> str | None:
        """The run of this thread that has no end: it works, or the process died in it."""
        ...

    async def forget(self, thread_id: str) -> None:
        """Drop what is known of a thread that is deleted."""
        ...


def run_log(saver: BaseCheckpointSaver[str]) -> Runs:
    """Beside the checkpoints of a SQLite saver; another's die with the process, and leave nothing unfinished."""
    return RunLog(saver) if isinstance(saver, AsyncSqliteSaver) else Unkept()


class RunLog:
    """In the file of threads. Every method raises `StoreFailed`."""

    def __init__(self, saver: AsyncSqliteSaver) -> None:
        self._saver = saver

    async def begin(self, thread_id: str, run_id: str) -> str | None:
        died = await self.open_run(thread_id)
        await self._write(_BEGIN, thread_id, run_id)
        return died

    async def take_back(self, thread_id: str, died: str) -> None:
        await self._write(_BEGIN, thread_id, died)

    async def end(self, thread_id: str, run_id: str, ended: End) -> None:
        where = "WHERE thread_id = ? AND run_id = ?"
        await self._write(f"UPDATE {RUNS} SET ended = ? {where}", ended, thread_id, run_id)  # noqa: S608  # only constants

    async def open_run(self, thread_id: str) -> str | None:
        await self._prepare()
        with translated(THREADS_NAME):
            query = f"SELECT run_id FROM {RUNS} WHERE thread_id = ? AND ended IS NULL"  # noqa: S608  # only constants
            async with self._saver.lock, self._saver.conn.execute(query, (thread_id,)) as cursor:
                row = await cursor.fetchone()
        return None if row is None else str(row[0])

    async def forget(self, thread_id: str) -> None:
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


class Unkept:
    """Of threads in memory nothing needs to be written down."""

    async def begin(self, thread_id: str, run_id: str) -> str | None:
        return None

    async def take_back(self, thread_id: str, died: str) -> None:
        pass

    async def end(self, thread_id: str, run_id: str, ended: End) -> None:
        pass

    async def open_run(self, thread_id: str) -> str | None:
        return None

    async def forget(self, thread_id: str) -> None:
        pass
