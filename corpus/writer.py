"""Documents into the store: unchanged ones cost nothing, and a new version counts only when wholly indexed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, ParamSpec, TypeVar

import errors
from context import Embedder
from corpus.documents import NewDocument, Outcome, checked
from corpus.prepare import prepare, version_of
from corpus.store.documents import Documents
from corpus.store.vectors import VectorTable

_BATCH: Final = 64

Embedded = Callable[[int, int], None]
"""Called while one document is embedded with how many of its new chunks have a vector, and how many will."""

P = ParamSpec("P")
T = TypeVar("T")


class Writer:
    """Indexes one document after another."""

    def __init__(self, documents: Documents, embedder: Embedder | None, vectors: VectorTable | None) -> None:
        self._documents = documents
        self._embedder = embedder
        self._vectors = vectors

    async def add(self, tenant: str, document: NewDocument, embedded: Embedded = lambda done, total: None) -> Outcome:
        """A document that cannot be indexed is a failed outcome; its old version stays current."""
        try:
            return await self._add(tenant, document, embedded)
        except errors.GapseekError as error:
            return Outcome(document.doc_id, "failed", sentence=error.sentence)

    async def embed(self, texts: Mapping[str, str], embedded: Embedded = lambda done, total: None) -> None:
        """Vectors for indexed texts by key, kept batch by batch so that a crash loses one batch at most."""
        if self._embedder is None or self._vectors is None:
            return
        missing = sorted(await asyncio.to_thread(self._vectors.missing, list(texts)))
        for start in range(0, len(missing), _BATCH):
            keys = missing[start : start + _BATCH]
            vectors = await self._embedder.passages([texts[key] for key in keys])
            await finished(self._vectors.put, dict(zip(keys, vectors, strict=True)))
            embedded(start + len(keys), len(missing))

    async def _add(self, tenant: str, document: NewDocument, embedded: Embedded) -> Outcome:
        document = await asyncio.to_thread(checked, document)
        present = await asyncio.to_thread(self._documents.current, tenant, document.doc_id)
        version = await asyncio.to_thread(version_of, document)
        if present == (version, tuple(sorted(document.groups))):
            return Outcome(document.doc_id, "unchanged")
        ready = await asyncio.to_thread(prepare, tenant, document, version)
        await self.embed({chunk.key: chunk.indexed for chunk in ready.chunks}, embedded)
        await finished(self._documents.put, ready)
        return Outcome(document.doc_id, "updated" if present else "added", len(ready.chunks))


async def finished(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The call in a thread, waited for even when the caller is cancelled: a thread cannot be stopped half-way."""
    running = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
