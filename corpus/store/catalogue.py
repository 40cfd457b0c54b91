"""What the knowledge base holds, as people look through it: pages of a list, and one document with all of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import errors
from context.retrieval import Principal
from corpus.access import may_see
from corpus.documents import Chunk, DocumentInfo
from corpus.store import rows as of
from corpus.store.database import Database

_VISIBLE: Final = (
    "documents.tenant = :tenant AND (groups = '[]' OR EXISTS "
    "(SELECT 1 FROM json_each(groups) WHERE value IN (SELECT value FROM json_each(:groups))))"
)
"""`may_see`, in SQL: so that pages and counts need no look at what is not on them."""
_PREFIXED: Final = "substr(documents.doc_id, 1, length(:prefix)) = :prefix"
_PAGE: Final = 500
_CURRENT: Final = (
    "SELECT documents.*, version, title, given, extracted, "
    "(SELECT COUNT(*) FROM chunks WHERE version_id = current) AS chunks "
    "FROM documents JOIN versions ON versions.id = current "
)


@dataclass(frozen=True)
class Page:
    """A part of the list by doc_id; `total` counts all of the list, `next` is what the following page comes after."""

    documents: list[DocumentInfo]
    total: int
    next: str | None


@dataclass(frozen=True)
class Counts:
    """How much there is to search for one principal."""

    documents: int
    chunks: int


@dataclass(frozen=True)
class Layers:
    """Where each value of the metadata comes from; a later layer goes over an earlier one."""

    extracted: dict[str, Any]
    given: dict[str, Any]
    set: dict[str, Any]


@dataclass(frozen=True)
class Access:
    """Groups of the last ingest, and those set by hand, which hold instead unless they are None."""

    given: Sequence[str]
    set: Sequence[str] | None


@dataclass(frozen=True)
class VersionInfo:
    """`created` is in seconds since the epoch, None for one that was there before times were kept."""

    version: str
    title: str
    chunks: int
    created: float | None
    current: bool


@dataclass(frozen=True)
class ShownChunks:
    """Some chunks of one version, from `offset` on; `total` is how many it has."""

    version: str
    total: int
    offset: int
    chunks: list[Chunk]


@dataclass(frozen=True)
class Detail:
    """All that is kept of a document; `chunks` is the number of the current version's."""

    doc_id: str
    version: str
    title: str
    metadata: dict[str, Any]
    groups: Sequence[str]
    chunks: int
    layers: Layers
    access: Access
    versions: list[VersionInfo]
    shown: ShownChunks


class Catalogue:
    """Reads the store for one principal at a time; what that may not see is not there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, principal: Principal, prefix: str = "", after: str | None = None, limit: int = 100) -> Page:
        """Visible documents whose doc_id begins with `prefix`, in order of doc_id, at most `limit` after `after`."""
        given = _visible_to(principal) | {"prefix": prefix, "after": after or "", "limit": limit + 1}
        found = self._database.read(
            f"{_CURRENT} WHERE {_VISIBLE} AND {_PREFIXED} AND documents.doc_id > :after "
            "ORDER BY documents.doc_id LIMIT :limit",
            given,
        )
        documents = [of.info(row) for row in found[:limit]]
        more = documents[-1].doc_id if len(found) > limit else None
        return Page(documents, self.total(principal, prefix), more)

    def visible(self, principal: Principal) -> Iterator[DocumentInfo]:
        """Every document that the principal may see, in order of doc_id, read a page at a time."""
        after: str | None = ""
        while after is not None:
            page = self.page(principal, after=after, limit=_PAGE)
            yield from page.documents
            after = page.next

    def total(self, principal: Principal, prefix: str = "") -> int:
        """How many documents the principal may see."""
        given = _visible_to(principal) | {"prefix": prefix}
        sql = f"SELECT COUNT(*) AS total FROM documents WHERE {_VISIBLE} AND {_PREFIXED}"  # noqa: S608
        return int(self._database.read(sql, given)[0]["total"])

    def size(self) -> Counts:
        """Documents of all tenants, and the chunks of their current versions."""
        sql = (
            "SELECT (SELECT COUNT(*) FROM documents) AS documents, "
            "(SELECT COUNT(*) FROM chunks JOIN documents ON documents.current = version_id) AS chunks"
        )
        (found,) = self._database.read(sql, ())
        return Counts(int(found["documents"]), int(found["chunks"]))

    def detail(
        self, doc_id: str, principal: Principal, version: str | None = None, offset: int = 0, limit: int = 50
    ) -> Detail:
        """A document with its versions, and chunks of one of them. Raises `errors.NotFound`."""
        found = self._database.read(
            f"{_CURRENT} WHERE documents.tenant = ? AND documents.doc_id = ?", (principal.tenant, doc_id)
        )
        if not found or not may_see(principal, of.strings_of(found[0]["groups"])):
            raise errors.NotFound("There is no such document.")
        row = found[0]
        versions = self._versions(principal.tenant, doc_id, row["current"])
        wanted = version or row["version"]
        if wanted not in versions:
            raise errors.NotFound("There is no such version of this document.")
        version_id, of_version = versions[wanted]
        shown = ShownChunks(wanted, of_version.chunks, offset, self._chunks(version_id, offset, limit))
        return _detail(row, [told for _, told in versions.values()], shown)

    def _versions(self, tenant: str, doc_id: str, current: int) -> dict[str, tuple[int, VersionInfo]]:
        """Newest first; of one that was cut in two ways the current cut, else the newer."""
        found = self._database.read(
            "SELECT id, version, title, created, (SELECT COUNT(*) FROM chunks WHERE version_id = id) AS chunks "
            "FROM versions WHERE tenant = ? AND doc_id = ? ORDER BY id = ? DESC, id DESC",
            (tenant, doc_id, current),
        )
        told: dict[str, tuple[int, VersionInfo]] = {}
        for row in found:
            is_current = row["id"] == current
            shown = VersionInfo(row["version"], row["title"], row["chunks"], of.time_of(row["created"]), is_current)
            told.setdefault(row["version"], (row["id"], shown))
        return told

    def _chunks(self, version_id: int, offset: int, limit: int) -> list[Chunk]:
        found = self._database.read(
            "SELECT * FROM chunks WHERE version_id = ? AND ordinal >= ? ORDER BY ordinal LIMIT ?",
            (version_id, offset, limit),
        )
        return [
            Chunk(r["chunk_id"], r["heading"], r["text"], r["start"], r["end"], of.object_of(r["metadata"]))
            for r in found
        ]


def _visible_to(principal: Principal) -> dict[str, Any]:
    return {"tenant": principal.tenant, "groups": of.to_json(sorted(principal.groups))}


def _detail(row: sqlite3.Row, versions: list[VersionInfo], shown: ShownChunks) -> Detail:
    layers = Layers(*(of.object_of(row[name]) for name in ("extracted", "given", "set_metadata")))
    by_hand = row["set_groups"]
    return Detail(
        doc_id=row["doc_id"],
        version=row["version"],
        title=row["title"],
        metadata=of.merged(row),
        groups=of.strings_of(row["groups"]),
        chunks=row["chunks"],
        layers=layers,
        access=Access(of.strings_of(row["given_groups"]), of.strings_of(by_hand) if by_hand else None),
        versions=versions,
        shown=shown,
    )
