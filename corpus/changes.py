"""Changes of the index, one at a time: first the store, the truth, then what is derived from it, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from context.retrieval import Principal
from corpus.access import may_change
from corpus.correction import Correction
from corpus.derived import Derived
from corpus.documents import NewDocument, Outcome
from corpus.store.documents import Documents
from corpus.store.faults import translated
from corpus.threads import finished
from corpus.writer import Embedded, Writer, batches

Progress = Callable[[int, int, Outcome], None]
"""Called after each document with how many are done, how many there are, and what became of this one."""

_CHANGES: Final = ("added", "updated")


class Changes:
    """`writing` is the lock of all that writes into the folder. `Index` says what each change means to its callers."""

    def __init__(self, documents: Documents, writer: Writer, derived: Derived, writing: asyncio.Lock) -> None:
        self._documents = documents
        self._writer = writer
        self._derived = derived
        self._writing = writing
        self.waiting = 0
        """Changes whose turn has not come."""

    async def add(
        self, documents: Sequence[NewDocument | Outcome], principal: Principal, progress: Progress, embedded: Embedded
    ) -> list[Outcome]:
        outcomes: list[Outcome] = []
        async with self._turn():
            for batch in batches(documents):
                for outcome in await self._add(batch, principal, embedded):
                    outcomes.append(outcome)
                    progress(len(outcomes), len(documents), outcome)
        return outcomes

    async def _add(
        self, batch: Sequence[NewDocument | Outcome], principal: Principal, embedded: Embedded
    ) -> list[Outcome]:
        """What became of a batch, which is shown by then: also of what was written before a failure."""
        changed = {given.doc_id for given in batch}
        with translated():
            try:
                outcomes = await self._writer.add(batch, principal, embedded)
                changed = {outcome.doc_id for outcome in outcomes if outcome.result in _CHANGES}
            finally:
                await self._derived.refresh(principal.tenant, changed)
        return outcomes

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        self.waiting += 1
        try:
            await self._writing.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._writing.release()

    async def delete(self, doc_id: str, principal: Principal) -> bool:
        async with self._turn():
            present = await asyncio.to_thread(self._documents.current, principal.tenant, doc_id)
            if present is None or not may_change(principal, present.groups):
                return False
            with translated():
                try:
                    await finished(self._documents.delete, principal.tenant, doc_id)
                finally:  # cancelled or not, what is gone from the store is not to be served
                    await self._derived.refresh(principal.tenant, {doc_id})
        return True

    async def correct(self, doc_id: str, principal: Principal, correction: Correction) -> None:
        async with self._turn():
            with translated():
                try:
                    await finished(self._documents.correct, principal, doc_id, correction)
                finally:
                    await self._derived.refresh(principal.tenant, {doc_id})
