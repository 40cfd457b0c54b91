"""Where threads are kept: LangGraph's saver, whose failures are said in sentences."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from corpus.store.faults import THREADS_NAME, damaged, translated
from graph.packing import Packing

_CLOSED: Final = ("no active connection",)
"""What aiosqlite says, as a `ValueError`, once the service is ending."""
_INDEX: Final = """
    CREATE INDEX IF NOT EXISTS gapseek_interrupts ON writes (thread_id, checkpoint_id) WHERE channel = '__interrupt__'
"""
"""LangGraph's own keys do not lead to the interrupts, and without it every write of every thread would be read."""

_PAGE: Final = 2_048
"""Bytes of a page of a new file: with the packed rows of threads, smaller and larger ones waste more (decision 44)."""
_WRITES: Final = """
    CREATE TABLE IF NOT EXISTS writes (
        thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
        task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', idx INTEGER NOT NULL,
        channel TEXT NOT NULL, type TEXT, value BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
    ) WITHOUT ROWID
"""
"""LangGraph's table, of a new file, with its long keys kept once: an ask has some 75 rows, most of a few bytes."""


class _Turns(asyncio.Lock):
    """One use of the connection at a time. What fails half-way is taken back before the next, which would commit it."""

    def __init__(self, take_back: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self._take_back = take_back

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None:
                await self._take_back()
        finally:
            self.release()


class Threads(AsyncSqliteSaver):
    """Raises `StoreFailed` for a full disk and for a file that is damaged, locked or unwritable."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.lock = _Turns(self.conn.rollback)

    async def setup(self) -> None:
        if self.is_setup:
            return
        with translated(THREADS_NAME):
            # Of a new file: what is deleted is written over, and free pages can be given back.
            async with self.lock:
                await self.conn.execute("PRAGMA secure_delete = ON")
                await self.conn.execute(f"PRAGMA page_size = {_PAGE}")
                await self.conn.execute("PRAGMA auto_vacuum = INCREMENTAL")
                await self.conn.execute(_WRITES)
            await super().setup()
            async with self.lock:
                await self.conn.execute(_INDEX)
                await self.conn.commit()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with translated(THREADS_NAME), _decoded():
            found = await super().aget_tuple(config)
            return _whole(found) if found else None

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        listed = super().alist(config, filter=filter, before=before, limit=limit)
        while True:
            # Not around the `yield`: what the reader raises there is not the file's fault.
            with translated(THREADS_NAME), _decoded():
                found = await anext(listed, None)
            if found is None:
                return
            yield _whole(found)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        with translated(THREADS_NAME):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        with translated(THREADS_NAME):
            await super().aput_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        with translated(THREADS_NAME):
            await super().adelete_thread(thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        with translated(THREADS_NAME), _decoded():
            return await super().aget_delta_channel_history(config=config, channels=channels)


@contextmanager
def _decoded() -> Iterator[None]:
    """Between the rows and what they say there is only decoding, so its exceptions are the rows' fault."""
    try:
        yield
    except (ValueError, TypeError, LookupError, NotImplementedError, AttributeError) as error:
        if error.args == _CLOSED:
            raise
        raise damaged(THREADS_NAME) from error


def _whole(found: CheckpointTuple) -> CheckpointTuple:
    """What every reader takes for granted of a checkpoint. Raises `StoreDamaged`."""
    kept: Any = found.checkpoint
    if isinstance(kept, dict) and isinstance(kept.get("channel_values"), dict) and isinstance(found.metadata, dict):
        return found
    raise damaged(THREADS_NAME)


@asynccontextmanager
async def open_saver(path: Path, *, kept: bool = True) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Checkpoints in one SQLite file, read back as plain types only; where they are not to be `kept`, in memory, with
    those of the file."""
    async with AsyncExitStack() as stack:
        with translated(THREADS_NAME):
            saver = await stack.enter_async_context(Threads.from_conn_string(str(path) if kept else ":memory:"))
            saver.serde = Packing(allowed_msgpack_modules=None)
            if not kept:
                async with AsyncSqliteSaver.from_conn_string(str(path)) as threads:
                    # Pages of another size cannot be copied into memory.
                    async with threads.conn.execute("PRAGMA page_size") as cursor:
                        ((size,),) = await cursor.fetchall()
                    await saver.conn.execute(f"PRAGMA page_size = {int(size)}")
                    await threads.conn.backup(saver.conn)
            await saver.setup()
        yield saver
