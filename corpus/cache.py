"""A bounded memory of exact keys; never of similar ones, for 'on' and 'off' are neighbours."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRU(Generic[K, V]):
    """Keeps the entries used last, and counts; for use by one thread."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._hits = 0
        self._misses = 0

    def counts(self) -> dict[str, int]:
        """How often a key was asked for and there, or not there, and how many entries there are now."""
        return {"hits": self._hits, "misses": self._misses, "size": len(self._entries)}

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def get(self, key: K) -> V | None:
        if key not in self._entries:
            self._misses += 1
            return None
        self._hits += 1
        self._entries.move_to_end(key)
        return self._entries[key]

    def put(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        while len(self._entries) > self._size:
            self._entries.popitem(last=False)
