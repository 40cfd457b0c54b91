"""Work on a data folder that no server owns meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from corpus import dictionary
from corpus.kept import DEFAULTS
from corpus.owner import DataFolder
from corpus.reindex import RebuildProgress, Rebuilt, reindex
from graph.wiring import open_embedder
from settings import Settings


async def rebuild(settings: Settings, progress: RebuildProgress) -> Rebuilt:
    """Rebuild the index of the data folder for the present settings. Raises `Conflict` when a process owns it."""
    async with AsyncExitStack() as stack:
        stack.enter_context(DataFolder.acquire(settings.data))
        words = await asyncio.to_thread(dictionary.load, settings.dictionary)
        stack.enter_context(dictionary.in_force(words))
        embedder = await open_embedder(settings, stack)
        return await reindex(settings.data / "index", embedder, DEFAULTS.sizes, progress)
