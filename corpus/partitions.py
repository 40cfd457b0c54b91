"""The partitions of all tenants: opened from their files, changed with the store, merged and written again."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from corpus.documents import digest
from corpus.partition import Partition
from corpus.segments import container
from corpus.segments.segment import Load, Segment
from corpus.store.current import Current

_SMALL: Final = 2_000
"""Chunks that may be added or withdrawn before anything is written: merging so many takes a moment."""
_SHARE: Final = 20
"""Beyond that a twentieth of the base: each chunk is then rewritten some twenty times while a corpus grows e-fold."""
_LEFT_OPEN: Final = 100
"""At the end a hundredth of the base may stay unwritten: the next start reads it from the store."""

_log = logging.getLogger(__name__)


class Partitions:
    """For one writer at a time; readers take `get`, whose result never changes."""

    def __init__(self, folder: Path, current: Current, load: Load | None, fingerprint: str) -> None:
        self._folder = folder
        self._current = current
        self._load = load
        self._about = {"store": current.store_id(), "fingerprint": fingerprint}
        self._known: dict[str, Partition] = {}
        self._unshown: dict[str, set[str]] = {}

    @property
    def generation(self) -> int:
        """Rises with every change that is shown, of any tenant."""
        return sum(partition.generation for partition in list(self._known.values()))

    def open(self) -> bool:
        """Show what is stored from the files, and whether they hold all of it; where not, `complete` does the rest."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        container.drop_unfinished(self._folder)
        emptied = self._current.emptied()
        for tenant, generation in self._current.generations().items():
            if tenant in emptied and not self._path(tenant).exists():  # so that no start looks for what is not there
                self._known[tenant] = Partition.whole(tenant, generation, Segment.of((), self._load))
                continue
            mapped = self._mapped(tenant)
            if mapped and mapped.generation <= generation:  # less after a store was put back to what it was
                self._known[tenant] = mapped
        return not self._behind()

    def complete(self) -> None:
        """Show what the files do not hold: what changed after they were written, or all where they do not fit."""
        for tenant, generation in self._behind().items():
            written = self._known.get(tenant)
            if written is None:
                self._known[tenant] = self._rebuilt(tenant, generation)
            else:
                self._known[tenant] = self._caught_up(written, generation)
            if self._due(self._known[tenant]):
                self._merge(tenant)

    def get(self, tenant: str) -> Partition:
        """What is current; empty for a tenant without documents."""
        return self._known.get(tenant) or Partition.empty(tenant)

    def refresh(self, tenant: str, changed: Collection[str]) -> None:
        """Show what is stored now of these documents, which may be new, other or gone; where that fails, next time."""
        unshown = self._unshown.setdefault(tenant, set())
        unshown.update(changed)
        added = self._segment(tenant, sorted(unshown))
        generation = self._current.generations().get(tenant, 0)
        self._known[tenant] = self.get(tenant).changed(generation, unshown, added)
        unshown.clear()
        if self._due(self._known[tenant]):
            self._merge(tenant)

    def settle(self, tenant: str) -> None:
        """Show what could not be shown before; write it, so that no file holds anything of what was withdrawn."""
        if self._unshown.get(tenant):
            self.refresh(tenant, ())
        partition = self.get(tenant)
        if len(partition.withdrawn) or len(partition.delta):
            self._merge(tenant)

    def tenants(self) -> list[str]:
        """Tenants that ever had a document."""
        return list(self._known)

    def all(self) -> list[Partition]:
        """Those partitions."""
        return list(self._known.values())

    def unsettled(self) -> list[str]:
        """Tenants of whose documents something was withdrawn that a file may still hold, or is not shown yet."""
        withdrawn = {tenant for tenant, partition in list(self._known.items()) if len(partition.withdrawn)}
        return sorted(withdrawn | {tenant for tenant, doc_ids in list(self._unshown.items()) if doc_ids})

    def close(self) -> None:
        """Write what is not written, but for a few additions."""
        for tenant, partition in list(self._known.items()):
            if len(partition.withdrawn) or len(partition.delta) > len(partition.base) // _LEFT_OPEN:
                self._merge(tenant)
        self._known.clear()

    def _behind(self) -> dict[str, int]:
        """Tenants that are not shown as the store has them, with the generation there."""
        return {
            tenant: generation
            for tenant, generation in self._current.generations().items()
            if tenant not in self._known or self._known[tenant].generation != generation
        }

    def _mapped(self, tenant: str) -> Partition | None:
        """What the tenant's file holds, None when it is not there, damaged, or another store's."""
        try:
            about, arrays = container.read(self._path(tenant))
            generation = int(about.pop("generation"))
            fits = about == self._about
            return Partition.whole(tenant, generation, Segment.from_arrays(arrays)) if fits else None
        except FileNotFoundError:
            return None
        except (container.Damaged, OSError, KeyError, TypeError, ValueError):
            _log.warning("An index file is damaged and is built anew")
            return None

    def _caught_up(self, partition: Partition, generation: int) -> Partition:
        """With what was stored after the file was written: the process was killed in between."""
        records = partition.base.records
        before = dict(zip(records.doc_ids, records.stamps.tolist(), strict=True))
        now = self._current.stamps(partition.tenant)
        added = [doc_id for doc_id, stamp in now.items() if before.get(doc_id) != stamp]
        changed = [*added, *(before.keys() - now.keys())]
        return partition.changed(generation, changed, self._segment(partition.tenant, added))

    def _rebuilt(self, tenant: str, generation: int) -> Partition:
        rows = self._segment(tenant, sorted(self._current.stamps(tenant)))
        return Partition.empty(tenant).changed(generation, (), rows)

    def _segment(self, tenant: str, doc_ids: Sequence[str]) -> Segment:
        """The stored chunks of these documents, merged like to like so that each is moved a few times only."""
        segments: list[Segment] = []
        for rows in self._current.rows(tenant, doc_ids):
            segments.append(Segment.of(rows, self._load))
            while len(segments) > 1 and len(segments[-2]) < 2 * len(segments[-1]):
                segments[-2:] = [segments[-2].merged(segments[-1])]
        while len(segments) > 1:
            segments[-2:] = [segments[-2].merged(segments[-1])]
        return segments[0] if segments else Segment.of((), self._load)

    def _due(self, partition: Partition) -> bool:
        unwritten = len(partition.withdrawn) + len(partition.delta)
        return unwritten > max(_SMALL, len(partition.base) // _SHARE)

    def _merge(self, tenant: str) -> None:
        """One base of all that is current, on disk; where that cannot be written all stays as it is."""
        partition = self._known[tenant]
        try:
            self._known[tenant] = self._written(partition)
        except (OSError, container.Damaged):
            _log.warning("The index file could not be written; it is tried again with the next change")

    def _written(self, partition: Partition) -> Partition:
        path = self._path(partition.tenant)
        whole = partition.merged().with_quantised()
        if not len(whole):
            path.unlink(missing_ok=True)
            return Partition.whole(partition.tenant, partition.generation, whole)
        container.write(path, {**self._about, "generation": partition.generation}, whole.arrays())
        mapped = Segment.from_arrays(container.read(path)[1])
        return Partition.whole(partition.tenant, partition.generation, mapped)

    def _path(self, tenant: str) -> Path:
        # A hash keeps names of any script apart, and they are no part of a path.
        return self._folder / f"{digest(tenant)[:32]}.segment"
