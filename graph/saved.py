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

_EXPIRED: Final = f"""
    SELECT kept.thread_id, kept.newest FROM (
        SELECT found.thread_id, found.newest, row_number() OVER (
            PARTITION BY json_extract(CAST(c.metadata AS TEXT), '$.tenant') ORDER BY found.newest DESC
        ) AS place
        FROM ({_NEWEST}) found JOIN checkpoints c
        ON c.thread_id = found.thread_id AND c.checkpoint_ns = '' AND c.checkpoint_id = found.newest
    ) kept
    WHERE (kept.newest < ? OR kept.place > ?) AND kept.thread_id NOT IN (SELECT w.thread_id FROM ({_WAITING}) w)
    ORDER BY kept.newest
"""  # noqa: S608  # only constants
"""Too old, or beyond the number of its tenant; never one that waits for a person."""
_GREGORIAN_100NS: Final = 0x01B21DD213814000
"""From the first day of UUIDs, in 1582, to that of seconds, in units of 100 ns (RFC 9562, section 6.1)."""
_LAST_PLACE: Final = 2**63 - 1


def place_at(seconds: float) -> str:
    """Where among checkpoint ids, which are UUIDs of version 6, a moment stands; seconds since the epoch."""
    ticks = max(0, int(seconds * 10_000_000) + _GREGORIAN_100NS)
    return f"{ticks >> 28:08x}-{ticks >> 12 & 0xFFFF:04x}-6{ticks & 0xFFF:03x}"


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

    async def expired(self, *, since: float | None, most: int | None) -> list[tuple[str, str]]:
        """Threads of all tenants, with their places, whose last step was before a moment, or that are more than `most`
        of one tenant: the oldest first, without those that wait for a person. None sets no limit."""
        oldest = "" if since is None else place_at(since)
        rows = await self._rows(_EXPIRED, oldest, _LAST_PLACE if most is None else most)
        return [(str(thread_id), str(place)) for thread_id, place in rows]

    async def place(self, thread_id: str) -> str | None:
        """A thread's newest checkpoint, None without any."""
        rows = await self._rows(f"SELECT newest FROM ({_NEWEST}) WHERE thread_id = ?", thread_id)  # noqa: S608  # only constants
        return str(rows[0][0]) if rows else None

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
