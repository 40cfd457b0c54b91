"""Documents, their versions and chunks in the store: what is current, what was, and who may see it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

import errors
from context.retrieval import Passage, Piece, Principal
from corpus.access import may_change, may_grant, may_see
from corpus.correction import Correction
from corpus.documents import DocumentInfo
from corpus.store import rows as of
from corpus.store.database import Database, raise_generation
from corpus.store.faults import NO_ROOM, StoreFailed
from corpus.store.leftovers import drop_unused
from corpus.store.records import Present, ReadyVersion
from corpus.store.versions import insert, retire


class Documents:
    """The truth about documents. `keep` is how many versions of each stay readable, the current one included."""

    def __init__(self, database: Database, keep: int = 5) -> None:
        self._database = database
        self._keep = keep

    def current(self, tenant: str, doc_id: str) -> Present | None:
        """What the tenant has under this id, None when nothing."""
        found = self._database.read(
            "SELECT version, given_groups, groups FROM documents JOIN versions ON versions.id = current "
            "WHERE documents.tenant = ? AND documents.doc_id = ?",
            (tenant, doc_id),
        )
        for row in found:
            return Present(row["version"], *(of.strings_of(row[name]) for name in ("given_groups", "groups")))
        return None

    def put(self, ready: Sequence[ReadyVersion]) -> None:
        """Make these the current versions, all in one transaction; those before stay readable, up to `keep`."""
        now = time.time()
        self._database.check_room()
        with self._database.write() as connection:
            for version in ready:
                _put_document(connection, version, insert(connection, version, now))
                retire(connection, version.tenant, version.doc_id, self._keep)
            for tenant in {version.tenant for version in ready}:
                raise_generation(connection, tenant)

    def delete(self, tenant: str, doc_id: str) -> bool:
        """Remove a document with all versions and all that was derived from it. False when there is none.

        On a full disk the last room there is goes into it.
        """
        try:
            return self._delete(tenant, doc_id)
        except StoreFailed as error:
            if error.reason not in NO_ROOM:
                raise
        self._database.make_room()
        return self._delete(tenant, doc_id)

    def _delete(self, tenant: str, doc_id: str) -> bool:
        with self._database.write() as connection:
            keys = connection.execute(
                "SELECT DISTINCT key FROM versions JOIN chunks ON version_id = id WHERE tenant = ? AND doc_id = ?",
                (tenant, doc_id),
            ).fetchall()
            gone = connection.execute("DELETE FROM documents WHERE tenant = ? AND doc_id = ?", (tenant, doc_id))
            if gone.rowcount:
                drop_unused(connection, [row["key"] for row in keys])
                raise_generation(connection, tenant)
        self._database.forget()
        return bool(gone.rowcount)

    def correct(self, principal: Principal, doc_id: str, correction: Correction) -> None:
        """Keep what was set by hand: no new version, nothing embedded. Raises `NotFound`, `Forbidden`, `BadRequest`."""
        correction.check()
        with self._database.write() as connection:
            row = connection.execute(
                "SELECT * FROM documents WHERE tenant = ? AND doc_id = ?", (principal.tenant, doc_id)
            ).fetchone()
            if row is None or not may_change(principal, of.strings_of(row["groups"])):
                raise errors.NotFound("There is no such document.")
            by_hand = correction.metadata(of.object_of(row["set_metadata"]))
            connection.execute(
                "UPDATE documents SET set_metadata = ?, set_groups = ? WHERE tenant = ? AND doc_id = ?",
                (of.to_json(by_hand), _groups_after(row, correction, principal), principal.tenant, doc_id),
            )
            raise_generation(connection, principal.tenant)

    def visible(self, principal: Principal) -> list[DocumentInfo]:
        """Documents that the principal may see, by doc_id."""
        found = self._database.read(
            "SELECT documents.*, version, title, given, extracted, "
            "(SELECT COUNT(*) FROM chunks WHERE version_id = current) AS chunks "
            "FROM documents JOIN versions ON versions.id = current "
            "WHERE documents.tenant = ? ORDER BY documents.doc_id",
            (principal.tenant,),
        )
        return [of.info(row) for row in found if may_see(principal, of.strings_of(row["groups"]))]

    def passages(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        """Passages that the principal may see: of the current version, else of the newest one that has the chunk."""
        found = self._database.read(
            'SELECT chunk_id, heading, start, "end", chunks.text, metadata, doc_id, version, title, given, extracted, '
            "set_metadata, groups "
            # Joined in this order: left to itself SQLite goes through all versions of the tenant.
            "FROM json_each(?) AS wanted CROSS JOIN chunks ON chunk_id = wanted.value "
            "CROSS JOIN versions ON versions.id = version_id JOIN documents USING (tenant, doc_id) WHERE tenant = ? "
            "ORDER BY versions.id = current, versions.id",
            (of.to_json(chunk_ids), principal.tenant),
        )
        return {row["chunk_id"]: of.passage(row) for row in found if may_see(principal, of.strings_of(row["groups"]))}

    def pieces(self, tenant: str, doc_id: str) -> list[Piece]:
        """The chunks of a document's current version in their order, whoever may see it."""
        found = self._database.read(
            'SELECT chunk_id, start, "end" FROM documents JOIN chunks ON version_id = current '
            "WHERE tenant = ? AND doc_id = ? ORDER BY ordinal",
            (tenant, doc_id),
        )
        return [Piece(row["chunk_id"], row["start"], row["end"]) for row in found]

    def span(self, doc_id: str, version: str, span: tuple[int, int], principal: Principal) -> str | None:
        """Characters [start, end) of a version's text; None when the principal may not see it."""
        start, end = span
        rows = self._database.read(
            "SELECT substr(text, ?, ?) AS text, groups FROM versions JOIN documents USING (tenant, doc_id) "
            "WHERE tenant = ? AND doc_id = ? AND versions.version = ?",
            (start + 1, end - start, principal.tenant, doc_id, version),
        )
        return str(rows[0]["text"]) if rows and may_see(principal, of.strings_of(rows[0]["groups"])) else None


def _groups_after(row: sqlite3.Row, correction: Correction, principal: Principal) -> str | None:
    """What `set_groups` is to be. Raises `errors.Forbidden` for groups that are not the principal's."""
    if correction.groups is None and not correction.groups_as_given:
        return None if row["set_groups"] is None else str(row["set_groups"])
    given = of.strings_of(row["given_groups"])
    if not may_grant(principal, given if correction.groups is None else correction.groups):
        raise errors.Forbidden("A document is given only to groups of one's own.")
    return None if correction.groups is None else of.to_json(sorted(correction.groups))


def _put_document(connection: sqlite3.Connection, ready: ReadyVersion, version_id: int) -> None:
    """What was set by hand stays."""
    connection.execute(
        "INSERT INTO documents (tenant, doc_id, current, given_groups) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (tenant, doc_id) DO UPDATE SET current = excluded.current, given_groups = excluded.given_groups",
        (ready.tenant, ready.doc_id, version_id, of.to_json(ready.groups)),
    )
