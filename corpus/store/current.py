"""What the lanes are built from: the current version of every document, as the store has it now."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from corpus.segments.rows import Row, stamp
from corpus.segments.sayings import Saying
from corpus.store import rows as of
from corpus.store.database import Database
from corpus.store.fingerprints import tokenizer_fingerprint

_DOCUMENTS: Final = 200
"""Documents read at a time: their tokens as JSON are the largest thing that a rebuild holds."""

_CURRENT: Final = (
    "SELECT documents.doc_id, current AS version_id, version, title, given, extracted, set_metadata, groups "
    "FROM documents JOIN versions ON versions.id = current WHERE documents.tenant = :tenant"
)


class Current:
    """Reads for the lanes, by tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store_id(self) -> int:
        """A number that no other store has, so that files derived from another one are told apart."""
        with self._database.write() as connection:
            connection.execute("INSERT OR IGNORE INTO counters VALUES ('store_id', ?)", (secrets.randbits(62),))
            return int(connection.execute("SELECT value FROM counters WHERE name = 'store_id'").fetchone()[0])

    def generations(self) -> dict[str, int]:
        """Every tenant that ever had a document, with the generation of its last change."""
        return {row["tenant"]: row["generation"] for row in self._database.read("SELECT * FROM tenants")}

    def emptied(self) -> set[str]:
        """Tenants that had documents and have none any more."""
        found = self._database.read(
            "SELECT tenant FROM tenants WHERE NOT EXISTS (SELECT 1 FROM documents WHERE tenant = tenants.tenant)"
        )
        return {row["tenant"] for row in found}

    def stamps(self, tenant: str) -> dict[str, int]:
        """Every document with the number that changes when anything of it does."""
        return {
            row["doc_id"]: stamp(
                row["version_id"], row["version"], row["title"], of.to_json(of.merged(row)), row["groups"]
            )
            for row in self._database.read(_CURRENT, {"tenant": tenant})
        }

    def rows(self, tenant: str, doc_ids: Sequence[str]) -> Iterator[list[Row]]:
        """The chunks of these documents, some documents at a time."""
        rules = tokenizer_fingerprint()
        for start in range(0, len(doc_ids), _DOCUMENTS):
            found = self._database.read(
                f'SELECT current.*, chunk_id, start, "end", chunks.metadata AS of_chunk, chunks.key, counts, '  # noqa: S608
                "heading, text "
                f"FROM ({_CURRENT} AND documents.doc_id IN (SELECT value FROM json_each(:doc_ids))) AS current "
                "JOIN chunks USING (version_id) JOIN terms ON terms.key = chunks.key AND rules = :rules",
                {
                    "tenant": tenant,
                    "doc_ids": json.dumps(doc_ids[start : start + _DOCUMENTS]),
                    "rules": rules,
                },
            )
            yield [_row(row) for row in found]


def _row(row: sqlite3.Row) -> Row:
    of.strings_of(row["groups"])  # a segment reads them as they are
    return Row(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        version_id=row["version_id"],
        version=row["version"],
        title=row["title"],
        metadata=of.to_json(of.merged(row)),
        groups=row["groups"],
        chunk_metadata=of.to_json(of.own_of_chunk(row, "of_chunk")),
        start=row["start"],
        end=row["end"],
        key=row["key"],
        counts=of.counts_of(row["counts"]),
        saying=Saying.of(row["text"], row["heading"]),
    )
