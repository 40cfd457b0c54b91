"""Vectors by embedder and by the hash of the text embedded, so that the same text is never embedded twice."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

import errors
from context.retrieval import Embedder, Vectors
from corpus.documents import indexed_text
from corpus.store.database import Database
from corpus.store.fingerprints import embedder_fingerprint
from corpus.store.rows import vector_of

_OF_KEYS: Final = "FROM vectors WHERE embedder = ? AND key IN (SELECT value FROM json_each(?))"


class VectorTable:
    """The vectors of one embedder."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._name = embedder_fingerprint(embedder)
        self.dimension = embedder.dimension

    def missing(self, keys: Sequence[str]) -> set[str]:
        """Those of these keys that have no vector yet."""
        rows = self._database.read(f"SELECT key {_OF_KEYS}", (self._name, json.dumps(keys)))
        return set(keys) - {row["key"] for row in rows}

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep these vectors: dimension numbers each, checked. Those whose text no chunk has yet wait for it."""
        if any(vector.shape != (self.dimension,) for vector in vectors.values()):
            raise errors.Unavailable(f"The embedder gave vectors of another dimension than {self.dimension}.")
        rows = [(key, self._name, np.asarray(vector, "<f4").tobytes()) for key, vector in vectors.items()]
        now = time.time()
        self._database.check_room()
        with self._database.write(durable=False) as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            connection.executemany(
                "INSERT OR IGNORE INTO unclaimed SELECT :key, :now "
                "WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE key = :key)",
                [{"key": key, "now": now} for key in vectors],
            )

    def get(self, keys: Sequence[str]) -> Vectors:
        """Shape (keys, dimension); a row of zeros where there is no vector."""
        found = np.zeros((len(keys), self.dimension), np.float32)
        places: dict[str, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        for row in self._database.read(f"SELECT key, vector {_OF_KEYS}", (self._name, json.dumps(list(places)))):
            found[places[row["key"]]] = vector_of(row["vector"], self.dimension)
        return found

    def keys_without(self) -> dict[str, str]:
        """Key and indexed text of every chunk that has no vector: those added while the vector lane was off."""
        rows = self._database.read(
            "SELECT DISTINCT key, title, heading, chunks.text FROM documents JOIN versions ON versions.id = current "
            "JOIN chunks ON version_id = versions.id "
            "WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = ? AND vectors.key = chunks.key)",
            (self._name,),
        )
        return {row["key"]: indexed_text(row["title"], row["heading"], row["text"]) for row in rows}
