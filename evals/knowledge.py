"""The documents that questions are asked of: a set's own, indexed, or a copy of a knowledge base."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

from context.retrieval import Principal
from corpus.documents import DocumentInfo, NewDocument, Outcome, plain_metadata
from corpus.index import Index
from corpus.snapshot import snapshot
from errors import BadRequest
from evals import fingerprint
from graph.checkpoints import open_saver
from graph.wiring import Services, open_services
from settings import Settings

Tick = Callable[[str, int, int], None]
"""Told of a part of the work, how much of it is done, and how much there is."""

Say = Callable[[str], None]
"""Told what a person should know meanwhile, a sentence at a time."""

IN_USE: Final = "The knowledge base is in use by process {}: a copy of it as of this moment is asked."
INDEXING: Final = "Indexing"


@asynccontextmanager
async def opened(settings: Settings, data: Path) -> AsyncIterator[Services]:
    """The deployment over this data folder, and nothing in it that was not put there."""
    async with open_services(settings.model_copy(update={"data": data}), sample=False) as services:
        yield services


async def indexed(index: Index, documents: tuple[NewDocument, ...], tick: Tick) -> None:
    """Index documents; those that are indexed already cost nothing. Raises `BadRequest` when one cannot be."""

    def told(done: int, total: int, outcome: Outcome) -> None:
        tick(INDEXING, done, total)

    outcomes = await index.add(documents, Principal(), told)
    failed = [outcome for outcome in outcomes if outcome.result == "failed"]
    if failed:
        raise BadRequest(f"{len(failed)} documents cannot be indexed, the first because: {failed[0].sentence}")


async def copied(folder: Path, target: Path, say: Say) -> None:
    """A copy of a knowledge base, to be asked in its place; where that is in use, this is said."""
    owner = await asyncio.to_thread(snapshot, folder, target)
    if owner is not None:
        say(IN_USE.format(owner.pid))
    async with open_saver(target / "threads.sqlite", kept=True):  # beside documents an absence would be remarked on
        pass


async def held(settings: Settings, data: Path, asker: Principal) -> list[DocumentInfo]:
    """The documents of a knowledge base that the asker may see."""
    async with opened(settings, data) as services:
        return await asyncio.to_thread(lambda: list(services.index.catalogue.visible(asker)))


def name_of(documents: Iterable[NewDocument | DocumentInfo]) -> str:
    """The fingerprint of documents: of their ids, texts or versions, and metadata."""
    plain = [
        {**asdict(one), "groups": sorted(one.groups or ()), "metadata": plain_metadata(one.metadata)}
        for one in documents
    ]
    return fingerprint.of(plain)
