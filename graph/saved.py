"""Which threads the file of checkpoints holds, newest first: read from its index, without reading any state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from context.retrieval import Principal
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
_READABLE: Final = """
    SELECT found.thread_id, found.newest FROM ({found}) found JOIN checkpoints c
    ON c.thread_id = found.thread_id AND c.checkpoint_ns = '' AND c.checkpoint_id = found.newest
    WHERE json_extract(CAST(c.metadata AS TEXT), '$.tenant') = ? AND NOT EXISTS (
        SELECT 1 FROM json_each(json_extract(CAST(c.metadata AS TEXT), '$.groups')) its
        WHERE its.value NOT IN (SELECT own.value FROM json_each(?) own)
    )
"""
"""Of the principal's tenant, and asked by one who had no group beyond its own (`runs.engine.may_read`)."""


class SavedThreads:
    """The threads of a SQLite saver. A thread's place is its newest checkpoint's id: those are in the order of time."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        self._saver = cast(AsyncSqliteSaver, saver)

    async def newest(self, principal: Principal, *, before: str | None, limit: int) -> list[tuple[str, str]]:
        """Thread ids with their places, newest first, at most `limit` of those before the place."""
        return await self._page(_NEWEST, principal, before, limit)

    async def waiting(self, principal: Principal, *, before: str | None, limit: int) -> list[tuple[str, str]]:
        """As `newest`, of those that wait for a person."""
        return await self._page(_WAITING, principal, before, limit)

    async def count_waiting(self, principal: Principal) -> int:
        """How many wait for a person."""
        query = f"SELECT count(*) FROM ({_READABLE.format(found=_WAITING)})"  # noqa: S608  # only constants
        ((count,),) = await self._rows(query, *_reading(principal))
        return int(count)

    async def _page(self, found: str, principal: Principal, before: str | None, limit: int) -> list[tuple[str, str]]:
        query = _READABLE.format(found=found)
        earlier = "" if before is None else " AND found.newest < ?"
        values = (*_reading(principal), *([] if before is None else [before]), limit)
        rows = await self._rows(f"{query}{earlier} ORDER BY found.newest DESC LIMIT ?", *values)
        return [(str(thread_id), str(place)) for thread_id, place in rows]

    async def _rows(self, query: str, *values: Any) -> Sequence[Any]:
        """Raises `StoreFailed`."""
        await self._saver.setup()
        with translated(THREADS_NAME):
            async with self._saver.lock, self._saver.conn.execute(query, values) as cursor:
                return list(await cursor.fetchall())


def _reading(principal: Principal) -> tuple[str, str]:
    return principal.tenant, json.dumps(sorted(principal.groups))
