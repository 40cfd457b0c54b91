"""Documents that are indexed without all of their vectors, and the note that there are some."""

from __future__ import annotations

from typing import Final

from corpus.store.database import Database, raise_generation

_NOTE: Final = "vectors_missing"


class Missing:
    """Of one embedder, named by its fingerprint."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder

    def recorded(self) -> bool:
        """Whether anything derived from the store may lack vectors that it has by now."""
        return bool(self._database.read("SELECT 1 FROM counters WHERE name = ?", (_NOTE,)))

    def record(self) -> None:
        with self._database.write() as connection:
            connection.execute("INSERT OR IGNORE INTO counters VALUES (?, 1)", (_NOTE,))

    def forget(self) -> None:
        if self.recorded():
            with self._database.write() as connection:
                connection.execute("DELETE FROM counters WHERE name = ?", (_NOTE,))

    def documents(self) -> dict[str, set[str]]:
        """By tenant the documents of which a current chunk has no vector."""
        found: dict[str, set[str]] = {}
        for row in self._database.read(
            "SELECT DISTINCT tenant, doc_id FROM documents JOIN chunks ON version_id = current "
            "WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE embedder = ? AND vectors.key = chunks.key)",
            (self._embedder,),
        ):
            found.setdefault(row["tenant"], set()).add(row["doc_id"])
        return found

    def filled(self, tenant: str) -> None:
        """A change, though no document changed: what was found before is no longer all there is."""
        with self._database.write() as connection:
            raise_generation(connection, tenant)
