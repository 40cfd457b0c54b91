"""All that is derived from the store: partitions and the vector lane, opened, kept up to date, and closed together."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from threadpoolctl import threadpool_limits

from context.retrieval import Embedder, Vectors
from corpus.documents import digest
from corpus.embeddings.common import without
from corpus.lanes.approximate import Approximate
from corpus.lanes.vector import VectorLane
from corpus.partition import Partition
from corpus.partitions import Partitions
from corpus.segments.segment import Load
from corpus.settling import Settling
from corpus.store.current import Current
from corpus.store.database import Database
from corpus.store.fingerprints import tokenizer_fingerprint
from corpus.store.vectors import VectorTable
from corpus.threads import finished

_FORMAT = 2
"""Raised whenever the same rows of the store would give other files."""


class Derived:
    """One writer at a time, who holds `writing`; readers take `get`."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        embedder: Embedder | None,
        table: VectorTable | None,
        writing: asyncio.Lock,
    ) -> None:
        current = Current(database)
        common = embedder.common if embedder else None
        store = f"{current.store_id()} {_fingerprint(embedder)}"
        self._chroma = folder / "index" / "chroma"
        open_index = partial(_open_chroma, self._chroma, store)
        self.lane = VectorLane(open_index, common) if table else None
        self._old = folder / "vectors"
        self._partitions = Partitions(folder / "index", current, _load(table, common), _fingerprint(embedder))
        self._settling = Settling(self._partitions, self.lane, writing)

    async def open(self) -> bool:
        """Show what the files hold, and whether that is all; where not, `complete` does the rest."""
        # Threads of BLAS wait for each other: on a busy machine a product takes ten times as long with two as with one.
        threadpool_limits(1, user_api="blas")
        shutil.rmtree(self._old, ignore_errors=True)  # where release 0.1 kept what `index` holds now
        whole = await finished(self._partitions.open)
        if self.lane is None or not any(map(self.lane.is_large, self._partitions.all())):
            shutil.rmtree(self._chroma, ignore_errors=True)  # of a tenant that was large once
        self._settling.soon()
        return whole

    async def complete(self) -> None:
        """Show what the files do not hold; every chunk has its tokens and its vector by now."""
        await finished(self._partitions.complete)
        self._settling.soon()

    @property
    def generation(self) -> int:
        """Rises with every change that is shown, of any tenant."""
        return self._partitions.generation

    def get(self, tenant: str) -> Partition:
        """What is current; empty for a tenant without documents."""
        return self._partitions.get(tenant)

    async def refresh(self, tenant: str, changed: Collection[str]) -> None:
        """Show what is stored now of these documents, also when the caller is cancelled."""
        if not changed:
            return
        try:
            await finished(self._partitions.refresh, tenant, changed)
        finally:
            self._settling.soon()

    async def close(self) -> None:
        """Leave files that hold what is current and nothing else."""
        await self._settling.stop()
        try:
            await finished(self._partitions.close)
        finally:
            if self.lane is not None:
                await finished(self.lane.close)


def _load(table: VectorTable | None, common: Vectors | None) -> Load | None:
    if table is None:
        return None

    def load(keys: Sequence[str]) -> Vectors:
        return without(table.get(keys), common)

    return load


def _fingerprint(embedder: Embedder | None) -> str:
    """What the files depend on beside the store: their form, the rules of tokens, the embedder."""
    if embedder is None:
        return digest(f"{_FORMAT}\n{tokenizer_fingerprint()}")
    common = "" if embedder.common is None else embedder.common.tobytes().hex()
    return digest(f"{_FORMAT}\n{tokenizer_fingerprint()}\n{embedder.name}\n{embedder.dimension}\n{common}")


def _open_chroma(folder: Path, store: str, anew: bool) -> Approximate:
    # Imported when it is needed: it takes a second and 100 MB, and most data folders never do.
    from corpus.lanes.chroma import Chroma

    return Chroma.anew(folder, store) if anew else Chroma(folder, store)
