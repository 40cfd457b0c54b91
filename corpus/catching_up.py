"""Vectors that could not be computed at the start are computed once the embedder answers, beside searches."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import errors
from corpus.derived import Derived
from corpus.embeddings.refused import TextsRefused
from corpus.store.faults import StoreFailed
from corpus.store.missing import Missing
from corpus.threads import finished
from corpus.writer import Writer

DELAY_S: Final = 30.0
"""Between two tries, in seconds."""

_log = logging.getLogger(__name__)


class CatchingUp:
    """`sentence` says what is missing meanwhile, None when nothing is. `writing` keeps it apart from other writers."""

    def __init__(self, writer: Writer, missing: Missing, derived: Derived, writing: asyncio.Lock) -> None:
        self.sentence: str | None = None
        self._refused: str | None = None
        self._writer = writer
        self._missing = missing
        self._derived = derived
        self._writing = writing
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Show all that is stored, by its words alone where there is no vector and none to be had."""
        if await self._embedded():
            await finished(self._missing.forget if self._refused is None else self._missing.record)
            self.sentence = self._refused
        else:
            await finished(self._missing.record)
            self._task = asyncio.create_task(self._later())
            self._task.add_done_callback(_tell)
        await self._derived.complete()

    async def stop(self) -> None:
        """End what is under way; the next start goes on with it."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _embedded(self) -> bool:
        """Whether there is nothing to wait for: texts that were refused are asked for again at the next start."""
        self._refused = None
        try:
            await self._writer.complete()
        except StoreFailed:
            raise
        except TextsRefused as error:
            self._refused = f"{error.sentence} What it holds is found by its words alone."
            _log.warning("Some documents have no vectors: %s", error.sentence)
        except errors.Unavailable as error:
            self.sentence = f"Some documents are found by their words alone until vectors can be made: {error.sentence}"
            _log.warning("Some documents have no vectors yet: %s", error.sentence)
            return False
        return True

    async def _later(self) -> None:
        waiting: Mapping[str, Collection[str]] | None = None
        while True:
            await asyncio.sleep(DELAY_S)
            try:
                if waiting is None:
                    waiting = await finished(self._missing.documents)
                if await self._embedded():
                    await self._show(waiting)
                    self.sentence = self._refused
                    return
            except errors.Unavailable as error:
                _log.warning("New vectors are not shown yet: %s", error.sentence)

    async def _show(self, waiting: Mapping[str, Collection[str]]) -> None:
        """What is remembered of searches is of an older generation then. The files are made anew at the next start."""
        async with self._writing:
            for tenant, doc_ids in waiting.items():
                await finished(self._missing.filled, tenant)
                await self._derived.refresh(tenant, doc_ids)


def _tell(ended: asyncio.Task[None]) -> None:
    """What ends the task too early is heard of, and not only by who waits for it."""
    if not ended.cancelled() and (error := ended.exception()) is not None:
        _log.error("Vectors that are missing are not made before the next start.", exc_info=error)


def drop_outdated(folder: Path, missing: Missing) -> None:
    """Remove files of an index that were made while vectors were missing: all of it is in the store."""
    if missing.recorded():
        shutil.rmtree(folder / "index", ignore_errors=True)
