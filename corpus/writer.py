"""Documents into the store: unchanged ones cost nothing, and a new version counts only when wholly indexed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import errors
from context.retrieval import Embedder, Principal
from corpus.access import may_change, may_grant
from corpus.documents import NewDocument, Outcome, checked, failed
from corpus.embeddings.refused import TextsRefused, passages_taken
from corpus.ingest.extraction import extraction
from corpus.kept import Kept
from corpus.prepare import prepare, version_of
from corpus.store.documents import Documents
from corpus.store.faults import StoreFailed
from corpus.store.records import ReadyVersion
from corpus.store.vectors import VectorTable
from corpus.threads import finished
from corpus.visibility import groups_after, notes

_TEXTS: Final = 64
"""Texts embedded between two writes: a crash loses the vectors of one such lot at most."""
_MOST_IN_VAIN: Final = 3
"""Documents tried alone without success, before an embedder that failed is asked no more for the others of a batch."""
_DOCUMENTS: Final = 64
_CHARACTERS: Final = 64_000
"""A batch is closed once it has this many documents or characters, so that small ones share their costs."""

Given = NewDocument | Outcome
Plan = tuple[ReadyVersion | None, Outcome]
"""What is to be written, None for nothing, and what to say once it was."""
Embedded = Callable[[str, int, int], None]
"""Called with a document's id, how many of its new chunks have a vector by now, and how many will."""


class Writer:
    """Indexes documents in batches, each batch in one transaction."""

    def __init__(
        self,
        documents: Documents,
        embedder: Embedder | None,
        vectors: VectorTable | None,
        kept: Kept,
    ) -> None:
        self._documents = documents
        self._embedder = embedder
        self._vectors = vectors
        self._kept = kept

    async def add(
        self, batch: Sequence[Given], principal: Principal, embedded: Embedded = lambda doc_id, done, total: None
    ) -> list[Outcome]:
        """What became of each. One that cannot be indexed is a failed outcome; its old version stays current.

        Raises `StoreFailed` when the store cannot be written; then nothing of the batch was.
        """
        plans = await finished(lambda: [self._plan(given, principal) for given in batch])
        plans = [await self._described(given, plan) for given, plan in zip(batch, plans, strict=True)]
        plans = await self._embedded(plans, embedded)
        ready = [version for version, _ in plans if version]
        if ready:
            await finished(self._documents.put, ready)
        return [outcome for _, outcome in plans]

    async def complete(self) -> None:
        """Vectors for chunks that were added while there was no embedder. Raises `errors.Unavailable`.

        Raises `TextsRefused` when all but these have one.
        """
        if self._vectors is not None:
            async for _ in self._lots(await asyncio.to_thread(self._vectors.keys_without)):
                pass

    async def _lots(self, texts: Mapping[str, str]) -> AsyncIterator[tuple[Sequence[str], Sequence[str]]]:
        """Embed texts by key, lot by lot, so that what was paid for is not paid again.

        Gives the keys whose vectors have just been kept, and all that had none at first. Raises `TextsRefused` last of
        all, when every other text has its vector.
        """
        if self._embedder is None or self._vectors is None:
            return
        without = await asyncio.to_thread(self._vectors.missing, list(texts))
        missing, refused = [key for key in texts if key in without], list[str]()
        for start in range(0, len(missing), _TEXTS):
            lot = {key: texts[key] for key in missing[start : start + _TEXTS]}
            vectors, not_taken = await passages_taken(self._embedder, lot)
            await finished(self._vectors.put, vectors)
            refused += not_taken
            yield list(vectors), missing
        if refused:
            raise TextsRefused(refused, self._embedder.name)

    async def _described(self, given: Given, plan: Plan) -> Plan:
        """The plan with the metadata that a new version states about itself; its outcome says when a model failed."""
        ready, outcome = plan
        if ready is None or isinstance(given, Outcome):
            return plan
        found = await extraction(given, self._kept.rules, self._kept.model)
        ready = replace(ready, extracted={**found.facts, **ready.extracted})
        return ready, replace(outcome, sentence=found.sentence, found=found.report())

    def _plan(self, given: Given, principal: Principal) -> Plan:
        if isinstance(given, Outcome):
            return None, given
        try:
            return self._ready(checked(given), principal)
        except StoreFailed:
            raise
        except errors.GapseekError as error:
            return None, failed(given.doc_id, error)

    def _ready(self, document: NewDocument, principal: Principal) -> Plan:
        doc_id, version = document.doc_id, version_of(document)
        present = self._documents.current(principal.tenant, doc_id)
        if not may_grant(principal, document.groups or ()):
            raise errors.Forbidden("A document is given only to groups of one's own.")
        if present and not may_change(principal, present.groups):
            raise errors.Forbidden("This doc_id is that of a document that is not yours to change.")
        groups = groups_after(document.groups, present)
        told = (*document.notes, *notes(document.groups, present, principal))
        if present and (present.version, present.given_groups) == (version, tuple(sorted(groups))):
            return None, Outcome(doc_id, "unchanged", notes=told)
        ready = prepare(principal.tenant, replace(document, groups=groups), version, self._kept.sizes)
        return ready, Outcome(doc_id, "updated" if present else "added", len(ready.chunks), notes=told)

    async def _embedded(self, plans: Sequence[Plan], embedded: Embedded) -> list[Plan]:
        """The plans with every vector kept; when the embedder fails over all, those fail whose own texts fail."""
        try:
            await self._embed_chunks(plans, embedded)
        except StoreFailed:
            raise
        except errors.GapseekError as error:
            return await self._apart(plans, error, embedded)
        return list(plans)

    async def _apart(self, plans: Sequence[Plan], error: errors.GapseekError, embedded: Embedded) -> list[Plan]:
        """Each plan for itself: tried alone where that may help, until it is plain that it is no single document."""
        apart, in_vain = list[Plan](), 0
        for plan in plans:
            tried = await self._held_to(plan, error)
            if tried is not plan and error.retryable and in_vain < _MOST_IN_VAIN:
                tried = await self._embedded_alone(plan, embedded)
                in_vain += tried is not plan
            apart.append(tried)
        return apart

    async def _embedded_alone(self, plan: Plan, embedded: Embedded) -> Plan:
        try:
            await self._embed_chunks([plan], embedded)
        except StoreFailed:
            raise
        except errors.GapseekError as error:
            return None, failed(plan[1].doc_id, error)
        return plan

    async def _held_to(self, plan: Plan, error: errors.GapseekError) -> Plan:
        """The plan, or its failure by this error, if its own texts are among those that have no vector."""
        ready, outcome = plan
        if ready is None or self._vectors is None:
            return plan
        texts = {chunk.key: chunk.indexed for chunk in ready.chunks}
        without = await asyncio.to_thread(self._vectors.missing, list(texts))
        if not without:
            return plan
        own = error.among({texts[key] for key in without}) if isinstance(error, TextsRefused) else error
        return None, failed(outcome.doc_id, own)

    async def _embed_chunks(self, plans: Sequence[Plan], embedded: Embedded) -> None:
        chunks = [(ready.doc_id, chunk) for ready, _ in plans if ready for chunk in ready.chunks]
        owner = {chunk.key: doc_id for doc_id, chunk in chunks}
        done: Counter[str] = Counter()
        async for lot, missing in self._lots({chunk.key: chunk.indexed for _, chunk in chunks}):
            done.update(owner[key] for key in lot)
            totals = Counter(owner[key] for key in missing)
            for doc_id in dict.fromkeys(owner[key] for key in lot):
                embedded(doc_id, done[doc_id], totals[doc_id])


def batches(documents: Sequence[Given]) -> Iterator[list[Given]]:
    """The same in order, in lots of bounded size, none of which names a document twice."""
    batch: list[Given] = []
    characters = 0
    for given in documents:
        again = any(given.doc_id == other.doc_id for other in batch)
        if batch and (again or len(batch) >= _DOCUMENTS or characters >= _CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(given)
        characters += len(given.text) if isinstance(given, NewDocument) else 0
    if batch:
        yield batch
