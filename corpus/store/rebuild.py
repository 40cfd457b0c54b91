"""What a store must hold before it can be said to be built with other fingerprints, and the moment when it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from corpus.documents import NewDocument, indexed_text
from corpus.store import rows as of
from corpus.store.database import Database, raise_generation
from corpus.store.fingerprints import Fingerprints, record
from corpus.store.leftovers import drop_all_unused
from corpus.store.records import ReadyVersion
from corpus.store.soundness import BAD_COUNTS, BAD_VECTOR
from corpus.store.terms import count, write_counts
from corpus.store.versions import insert

Place = tuple[str, str]
"""Tenant and doc_id."""

_CUT_ANEW: Final = (
    "SELECT s.id FROM versions s WHERE s.tenant = v.tenant AND s.doc_id = v.doc_id AND s.version = v.version "
    "AND s.chunker = :chunker"
)
_WANTED: Final = (
    f"WITH wanted AS (SELECT coalesce(({_CUT_ANEW}), v.id) AS id "  # noqa: S608
    "FROM documents JOIN versions v ON v.id = current) "
    "SELECT min(chunks.rowid) AS place, key FROM wanted JOIN chunks ON version_id = wanted.id "
)
"""One chunk of every text that current versions will have, once the new cut counts."""


class RebuildStore:
    """Everything that is added stays beside what is current, and counts only from `finish` on."""

    def __init__(self, database: Database, now: Fingerprints) -> None:
        self._database = database
        self._now = now

    def drop_broken(self, dimension: int) -> None:
        """Forget counts and vectors that nothing can read, so that they are made again."""
        with self._database.write() as connection:
            connection.execute(f"DELETE FROM terms WHERE {BAD_COUNTS}")  # noqa: S608
            connection.execute(
                f"DELETE FROM vectors WHERE embedder = :embedder AND ({BAD_VECTOR})",  # noqa: S608
                {"embedder": self._now.embedder, "dimension": dimension},
            )

    def total_to_cut(self) -> int:
        sql = f"SELECT COUNT(*) AS total FROM {self._uncut()}"  # noqa: S608
        return int(self._database.read(sql, self._now.parts())[0]["total"])

    def to_cut(self, after: Place, limit: int) -> list[tuple[Place, NewDocument, str]]:
        """Documents, in order, whose current version is not cut by the present chunker, with that version's hash."""
        found = self._database.read(
            f"SELECT v.*, given_groups FROM {self._uncut()} AND (v.tenant, v.doc_id) > (:tenant, :doc_id) "  # noqa: S608
            "ORDER BY v.tenant, v.doc_id LIMIT :limit",
            {**self._now.parts(), "tenant": after[0], "doc_id": after[1], "limit": limit},
        )
        return [((row["tenant"], row["doc_id"]), _document(row), row["version"]) for row in found]

    def put(self, versions: Sequence[ReadyVersion]) -> None:
        """Keep these beside the current versions."""
        with self._database.write() as connection:
            for version in versions:
                insert(connection, version, None)

    def uncounted(self) -> list[int]:
        """Places of chunks whose texts are not counted under the present tokenizer."""
        return self._places("NOT EXISTS (SELECT 1 FROM terms WHERE terms.key = chunks.key AND rules = :tokenizer)")

    def without_vector(self) -> list[int]:
        """Places of chunks whose texts have no vector of the present embedder."""
        return self._places("NOT EXISTS (SELECT 1 FROM vectors v WHERE v.key = chunks.key AND v.embedder = :embedder)")

    def texts(self, places: Sequence[int]) -> dict[str, str]:
        """Indexed texts by key."""
        found = self._database.read(
            "SELECT key, title, heading, chunks.text FROM chunks JOIN versions ON versions.id = version_id "
            "WHERE chunks.rowid IN (SELECT value FROM json_each(?))",
            (json.dumps(places),),
        )
        return {row["key"]: indexed_text(row["title"], row["heading"], row["text"]) for row in found}

    def count(self, places: Sequence[int]) -> None:
        """Count these texts under the present tokenizer."""
        counts = {key: count(text) for key, text in self.texts(places).items()}
        with self._database.write(durable=False) as connection:
            write_counts(connection, counts)

    def finish(self) -> None:
        """In one transaction: the new cut counts, the fingerprints are the present ones, what is unused is gone."""
        now = self._now.parts()
        with self._database.write() as connection:
            connection.execute(
                f"UPDATE documents SET current = coalesce("  # noqa: S608
                f"(SELECT ({_CUT_ANEW}) FROM versions v WHERE v.id = documents.current), current)",
                now,
            )
            record(connection, self._now)
            if self._now.embedder is not None:
                connection.execute("DELETE FROM vectors WHERE embedder <> :embedder", now)
            connection.execute("DELETE FROM terms WHERE rules <> :tokenizer", now)
            drop_all_unused(connection)
            for row in connection.execute("SELECT tenant FROM tenants").fetchall():
                raise_generation(connection, row["tenant"])
        self._database.forget()

    def shrink(self) -> None:
        """Give the room of what was dropped back to the disk."""
        self._database.shrink()

    def _uncut(self) -> str:
        return f"documents JOIN versions v ON v.id = current WHERE v.chunker <> :chunker AND NOT EXISTS ({_CUT_ANEW})"

    def _places(self, condition: str) -> list[int]:
        found = self._database.read(f"{_WANTED} WHERE {condition} GROUP BY key ORDER BY place", self._now.parts())
        return [int(row["place"]) for row in found]


def _document(row: Any) -> NewDocument:
    """The stored version as it was given, but for its title, which may have been its first heading then."""
    given, extracted = of.object_of(row["given"]), of.object_of(row["extracted"])
    groups = frozenset(of.strings_of(row["given_groups"]))
    return NewDocument(row["doc_id"], row["text"], row["title"], given, groups, extracted)
