"""Tidying up after changes, beside searches: what was deleted leaves the files, and a large index is brought up to
date."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

import errors
from corpus.lanes.vector import VectorLane
from corpus.partitions import Partitions
from corpus.threads import finished

DELAY_S: Final = 30.0
"""How long a deleted document may stay in a file: many are often deleted one after another."""

_log = logging.getLogger(__name__)


class Settling:
    """At most one task at a time; `writing` keeps it apart from other writers."""

    def __init__(
        self, partitions: Partitions, lane: VectorLane | None, writing: asyncio.Lock, delay_s: float = DELAY_S
    ) -> None:
        self._partitions = partitions
        self._lane = lane
        self._writing = writing
        self._delay_s = delay_s
        self._task: asyncio.Task[None] | None = None

    def soon(self) -> None:
        """Settle after the delay, if there is anything to settle and it is not planned already."""
        if self._wanted() and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._settle())

    async def stop(self) -> None:
        """End what is under way."""
        if self._lane is not None:
            self._lane.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _wanted(self) -> bool:
        return bool(self._partitions.unsettled()) or bool(self._behind())

    def _behind(self) -> list[str]:
        if self._lane is None:
            return []
        return [tenant for tenant in self._partitions.tenants() if self._lane.is_behind(self._partitions.get(tenant))]

    async def _settle(self) -> None:
        # More may be deleted while this goes on, and what could not be written is tried again.
        while self._wanted():
            await asyncio.sleep(self._delay_s)
            for tenant in self._partitions.unsettled():
                await self._tidy(tenant)
            for tenant in self._behind():
                await self._bring_up(tenant)

    async def _tidy(self, tenant: str) -> None:
        try:
            async with self._writing:
                await finished(self._partitions.settle, tenant)
        except errors.Unavailable:
            _log.warning("A change is not shown or not in the index file yet; it is tried again")

    async def _bring_up(self, tenant: str) -> None:
        if self._lane is None:
            return
        try:
            await finished(self._lane.settle, self._partitions.get(tenant))
        except errors.Unavailable:
            _log.warning("The approximate index was not brought up to date; vectors are searched exactly")
