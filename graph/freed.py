"""What deleted threads leave in their file: pages to give back, and a log in which they would stand on."""

from __future__ import annotations

import logging
from typing import Final

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from corpus.store.faults import THREADS_NAME, StoreFailed, translated

_INCREMENTAL: Final = 2
"""Of SQLite's `auto_vacuum`: free pages are given back when told."""
_LOT: Final = 1_000
"""Pages that are given back in a transaction, so that nobody waits for long."""
_SMALL: Final = 64_000_000
"""Bytes of a file that is written anew in a fraction of a second."""

_log = logging.getLogger(__name__)


async def give_back(saver: BaseCheckpointSaver[str], *, wholly: bool = False) -> None:
    """Let the file of a SQLite saver shrink by what was deleted, and empty its log.

    Deleted rows and free pages are written over as they go; where SQLite moved rows between pages, bytes of them can
    stand in the gaps. So a small file is written anew, and, where it may take long (`wholly`), one of a release that
    could not shrink. Where that fails what was deleted is deleted all the same, and the log tells why.
    """
    if not isinstance(saver, AsyncSqliteSaver):
        return
    await saver.setup()
    try:
        with translated(THREADS_NAME):
            if await _is_small(saver) or (wholly and not await _can_shrink(saver)):
                await _run(saver, f"PRAGMA auto_vacuum = {_INCREMENTAL}", "VACUUM")
            while await _can_shrink(saver) and await _number(saver, "freelist_count"):
                await _run(saver, f"PRAGMA incremental_vacuum({_LOT})")
            await _run(saver, "PRAGMA wal_checkpoint(TRUNCATE)")
    except StoreFailed as error:
        _log.warning("Free pages stay in the file of threads: %s", error.reason)


async def _is_small(saver: AsyncSqliteSaver) -> bool:
    return await _number(saver, "page_count") * await _number(saver, "page_size") <= _SMALL


async def _can_shrink(saver: AsyncSqliteSaver) -> bool:
    return await _number(saver, "auto_vacuum") == _INCREMENTAL


async def _number(saver: AsyncSqliteSaver, pragma: str) -> int:
    async with saver.lock, saver.conn.execute(f"PRAGMA {pragma}") as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def _run(saver: AsyncSqliteSaver, *statements: str) -> None:
    async with saver.lock:
        for statement in statements:
            # To its last row: a first step would give back one page.
            async with saver.conn.execute(statement) as cursor:
                await cursor.fetchall()
