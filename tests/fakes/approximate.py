"""An approximate index that is exact, and says what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import errors
from context.retrieval import Vectors


class ListedVectors:
    """Compares with every vector; fails while it is `broken`."""

    def __init__(self) -> None:
        self.vectors: dict[str, dict[str, Vectors]] = {}
        self.stamps: dict[str, int] = {}
        self.loaded: list[str] = []
        self.asked = 0
        self.broken = False
        self.closed = False

    def sync(self, tenant: str, stamp: int, keys: set[str], load: Callable[[Sequence[str]], Vectors]) -> None:
        self._check()
        if self.stamps.get(tenant) == stamp:
            return
        kept = {key: vector for key, vector in self.vectors.get(tenant, {}).items() if key in keys}
        new = sorted(keys - kept.keys())
        self.loaded += new
        self.vectors[tenant] = kept | (dict(zip(new, load(new), strict=True)) if new else {})
        self.stamps[tenant] = stamp

    def nearest(self, tenant: str, query: Vectors, count: int) -> list[str]:
        self._check()
        self.asked += 1
        keys = list(self.vectors[tenant])
        cosines = np.stack([self.vectors[tenant][key] for key in keys]) @ query
        return [keys[place] for place in np.argsort(-cosines)[:count]]

    def drop(self, tenant: str) -> None:
        self._check()
        self.vectors.pop(tenant, None)
        self.stamps.pop(tenant, None)

    def close(self) -> None:
        self.closed = True

    def _check(self) -> None:
        if self.broken:
            raise errors.Unavailable("The vector index failed.")
