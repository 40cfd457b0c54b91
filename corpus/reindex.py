"""An index rebuilt from its store: cut, count and embed anew what other settings need, and only that."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import errors
from context.retrieval import Embedder
from corpus.documents import NewDocument
from corpus.embeddings.refused import TextsRefused, passages_taken
from corpus.ingest.facts import extract
from corpus.kept import Kept
from corpus.places import STORE
from corpus.prepare import prepare
from corpus.store.database import Database
from corpus.store.faults import NO_ROOM, StoreFailed
from corpus.store.fingerprints import Fingerprints
from corpus.store.rebuild import RebuildStore
from corpus.store.records import ReadyVersion
from corpus.store.vectors import VectorTable
from corpus.threads import finished

Part = Literal["cut", "count", "embed"]
RebuildProgress = Callable[[Part, int, int], None]
"""Called with how much of a part is done, and how much there is of it."""

_DOCUMENTS: Final = 20
_TEXTS: Final = 64

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rebuilt:
    """How much was done anew; `uncut` names documents that the present chunker finds no text in, left as they were.

    `refused` is a sentence about texts that the embedder takes not at all: they are found by their words alone.
    """

    cut: int
    counted: int
    embedded: int
    uncut: tuple[str, ...]
    refused: str | None = None


async def reindex(folder: Path, embedder: Embedder | None, kept: Kept, progress: RebuildProgress) -> Rebuilt:
    """Rebuild the index in this folder, which this process must own.

    What is cut anew is also read by the present rules for what it states about itself; no model is asked.
    What it adds stays beside what is there, lot by lot, until all is: cut off, it goes on where it was, and with the
    former settings the index answers as before. Raises `errors.Unavailable` when the embedder fails.
    """
    if not (folder / STORE).is_file():
        raise errors.NotFound("There is no index in the data folder yet.")
    database = await asyncio.to_thread(Database.open, folder / STORE)
    try:
        return await _Rebuild(database, embedder, kept, progress).run(folder)
    finally:
        await finished(database.close)


class _Rebuild:
    def __init__(self, database: Database, embedder: Embedder | None, kept: Kept, progress: RebuildProgress) -> None:
        self._store = RebuildStore(database, Fingerprints.of(embedder, kept.sizes))
        self._embedder = embedder
        self._vectors = VectorTable(database, embedder) if embedder else None
        self._kept = kept
        self._progress = progress
        self._refused: list[str] = []

    async def run(self, folder: Path) -> Rebuilt:
        await finished(self._store.drop_broken, self._embedder.dimension if self._embedder else 0)
        cut, uncut = await self._cut()
        counted, embedded = await self._count(), await self._embed()
        # Before the new state counts: what is derived from the old one must never be taken for its own.
        await finished(_remove_derived, folder)
        await finished(self._store.finish)
        await self._shrink()
        return Rebuilt(cut, counted, embedded, tuple(uncut), self._told())

    async def _shrink(self) -> None:
        """All else is done by now, so a disk without room for it is no failure."""
        try:
            await finished(self._store.shrink)
        except StoreFailed as error:
            if error.reason not in NO_ROOM:
                raise
            _log.warning("The document store could not be made smaller: %s", error.reason)

    async def _cut(self) -> tuple[int, list[str]]:
        total = await asyncio.to_thread(self._store.total_to_cut)
        after, done, uncut = ("", ""), 0, list[str]()
        while lot := await asyncio.to_thread(self._store.to_cut, after, _DOCUMENTS):
            after = lot[-1][0]
            ready: list[ReadyVersion] = []
            for (tenant, doc_id), document, version in lot:
                try:
                    ready.append(await finished(self._prepared, tenant, document, version))
                except errors.BadRequest:
                    uncut.append(doc_id)
            await finished(self._store.put, ready)
            done += len(lot)
            self._progress("cut", done, total)
        return done - len(uncut), uncut

    def _prepared(self, tenant: str, document: NewDocument, version: str) -> ReadyVersion:
        """What the rules find goes over what they found before; what a model found stays where they find nothing."""
        facts = extract(document) if self._kept.rules else {}
        described = replace(document, extracted={**document.extracted, **facts})
        return prepare(tenant, described, version, self._kept.sizes)

    async def _count(self) -> int:
        places = await asyncio.to_thread(self._store.uncounted)
        for done, lot in _lots(places):
            await finished(self._store.count, lot)
            self._progress("count", done, len(places))
        return len(places)

    async def _embed(self) -> int:
        if self._embedder is None or self._vectors is None:
            return 0
        places = await asyncio.to_thread(self._store.without_vector)
        for done, lot in _lots(places):
            texts = await asyncio.to_thread(self._store.texts, lot)
            vectors, refused = await passages_taken(self._embedder, texts)
            await finished(self._vectors.put, vectors)
            self._refused += refused
            self._progress("embed", done, len(places))
        return len(places) - len(self._refused)

    def _told(self) -> str | None:
        if not self._refused or self._embedder is None:
            return None
        return TextsRefused(self._refused, self._embedder.name).sentence


def _lots(places: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Lots of places, each with how many are done after it."""
    for start in range(0, len(places), _TEXTS):
        lot = places[start : start + _TEXTS]
        yield start + len(lot), lot


def _remove_derived(folder: Path) -> None:
    """Everything beside the store: whatever a lane keeps there it makes again from the store."""
    for entry in folder.iterdir():
        if entry.name.startswith(STORE):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
