"""Work on a data folder that no server owns meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from corpus import dictionary
from corpus.kept import Kept
from corpus.lost import refuse_lost
from corpus.owner import DataFolder
from corpus.reindex import RebuildProgress, Rebuilt, reindex
from corpus.swap import holds_index
from errors import NotFound
from graph.knowledge import open_embedder
from settings import Settings


async def rebuild(settings: Settings, progress: RebuildProgress) -> Rebuilt:
    """Rebuild the index of the data folder for the present settings.

    Raises `NotFound` for a folder without one, which stays as it is, and `Conflict` when a process owns it.
    """
    if not holds_index(settings.data):
        refuse_lost(settings.data)
        raise NotFound("There is no index in the data folder.")
    async with AsyncExitStack() as stack:
        stack.enter_context(DataFolder.acquire(settings.data))
        refuse_lost(settings.data)
        words = await asyncio.to_thread(dictionary.load, settings.dictionary)
        stack.enter_context(dictionary.in_force(words))
        embedder = await open_embedder(settings, stack)
        kept = Kept(settings.keep_versions, rules=settings.extract_metadata != "off")
        return await reindex(settings.data / "index", embedder, kept, progress)
