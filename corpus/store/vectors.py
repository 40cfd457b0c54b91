"""Vectors by embedder and by the hash of the text embedded, so that the same text is never embedded twice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

import errors
from context import Embedder, Vectors
from corpus.documents import indexed_text
from corpus.store.database import Database

_OF_KEYS: Final = "FROM vectors WHERE embedder = ? AND key IN (SELECT value FROM json_each(?))"


class VectorTable:
    """The vectors of one embedder."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._name = embedder.name
        self.dimension = embedder.dimension

    def claim(self) -> None:
        """Record the embedder, or check it against the record. Raises `errors.Conflict` when they differ."""
        with self._database.write() as connection:
            row = connection.execute("SELECT name, dimension FROM embedder").fetchone()
            if row is None:
                connection.execute("INSERT INTO embedder VALUES (1, ?, ?)", (self._name, self.dimension))
            elif (row["name"], row["dimension"]) != (self._name, self.dimension):
                raise errors.Conflict(
                    f"The index holds vectors of {row['name']} ({row['dimension']} dimensions) and the embedder is now "
                    f"{self._name} ({self.dimension}): go back to the former one, or ingest into a new data folder."
                )

    def missing(self, keys: Sequence[str]) -> set[str]:
        """Those of these keys that have no vector yet."""
        rows = self._database.read(f"SELECT key {_OF_KEYS}", (self._name, json.dumps(keys)))
        return set(keys) - {row["key"] for row in rows}

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep these vectors: dimension numbers each, checked."""
        if any(vector.shape != (self.dimension,) for vector in vectors.values()):
            raise errors.Unavailable(f"The embedder gave vectors of another dimension than {self.dimension}.")
        rows = [(self._name, key, np.asarray(vector, "<f4").tobytes()) for key, vector in vectors.items()]
        with self._database.write() as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def get(self, keys: Sequence[str]) -> Vectors:
        """Shape (keys, dimension); a row of zeros where there is no vector."""
        found = np.zeros((len(keys), self.dimension), np.float32)
        places: dict[str, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        for row in self._database.read(f"SELECT key, vector {_OF_KEYS}", (self._name, json.dumps(list(places)))):
            found[places[row["key"]]] = np.frombuffer(row["vector"], "<f4")
        return found

    def keys_without(self) -> dict[str, str]:
        """Key and indexed text of every chunk that has no vector: those added while the vector lane was off."""
        rows = self._database.read(
            "SELECT DISTINCT key, title, heading, chunks.text FROM chunks JOIN versions ON versions.id = version_id "
            "JOIN documents USING (tenant, doc_id, version) "
            "WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = ? AND vectors.key = chunks.key)",
            (self._name,),
        )
        return {row["key"]: indexed_text(row["title"], row["heading"], row["text"]) for row in rows}
