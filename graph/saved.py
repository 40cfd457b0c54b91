"""Which threads the file of checkpoints holds, newest first: read from its index, without reading any state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from corpus.store.faults import THREADS_NAME, translated

_NEWEST: Final = """
    SELECT thread_id, max(checkpoint_id) AS newest FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id
"""
_WAITING: Final = """
    SELECT DISTINCT w.thread_id, w.checkpoint_id AS newest FROM writes w
    WHERE w.channel = '__interrupt__' AND w.checkpoint_ns = '' AND w.checkpoint_id = (
        SELECT max(checkpoint_id) FROM checkpoints c WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = ''
    )
"""
"""An interrupt that is answered belongs to a checkpoint that is not the thread's last."""
_OF_TENANT: Final = """
    SELECT found.thread_id, found.newest FROM ({found}) found JOIN checkpoints c
    ON c.thread_id = found.thread_id AND c.checkpoint_ns = '' AND c.checkpoint_id = found.newest
    WHERE json_extract(CAST(c.metadata AS TEXT), '$.tenant') = ?
"""


class SavedThreads:
    """The threads of a SQLite saver. A thread's place is its newest checkpoint's id: those are in the order of time."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        self._saver = cast(AsyncSqliteSaver, saver)

    async def newest(self, tenant: str, *, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Thread ids with their places, newest first, at most `limit` of those before the place."""
        return await self._page(_NEWEST, tenant, before, limit)

    async def waiting(self, tenant: str, *, before: str | None, limit: int) -> list[tuple[str, str]]:
        """As `newest`, of those that wait for a person."""
        return await self._page(_WAITING, tenant, before, limit)

    async def count_waiting(self, tenant: str) -> int:
        """How many wait for a person."""
        ((count,),) = await self._rows(f"SELECT count(*) FROM ({_OF_TENANT.format(found=_WAITING)})", tenant)  # noqa: S608  # only constants
        return int(count)

    async def _page(self, found: str, tenant: str, before: str | None, limit: int) -> list[tuple[str, str]]:
        query = _OF_TENANT.format(found=found)
        earlier = "" if before is None else " AND found.newest < ?"
        places = [] if before is None else [before]
        rows = await self._rows(f"{query}{earlier} ORDER BY found.newest DESC LIMIT ?", tenant, *places, limit)
        return [(str(thread_id), str(place)) for thread_id, place in rows]

    async def _rows(self, query: str, *values: Any) -> Sequence[Any]:
        """Raises `StoreFailed`."""
        await self._saver.setup()
        with translated(THREADS_NAME):
            async with self._saver.lock, self._saver.conn.execute(query, values) as cursor:
                return list(await cursor.fetchall())
