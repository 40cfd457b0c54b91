"""The tables of the store, and how a file of another schema is taken: made, migrated, or refused with a sentence."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache
from typing import Final

import errors
from corpus.store.faults import damaged
from corpus.store.migration import FROM_1

SCHEMA: Final = 2
APPLICATION: Final = int.from_bytes(b"gpsk")
"""SQLite's `application_id`: what tells this store from any other program's file."""

DDL: Final = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
INSERT INTO counters VALUES ('generation', 0);
CREATE TABLE tenants (tenant TEXT PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TABLE fingerprints (part TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (tenant TEXT NOT NULL, doc_id TEXT NOT NULL,
    current INTEGER NOT NULL REFERENCES versions DEFERRABLE INITIALLY DEFERRED,
    given_groups TEXT NOT NULL, set_groups TEXT, set_metadata TEXT NOT NULL DEFAULT '{}',
    groups TEXT GENERATED ALWAYS AS (coalesce(set_groups, given_groups)) VIRTUAL,
    PRIMARY KEY (tenant, doc_id));
CREATE INDEX documents_by_current ON documents (current);
CREATE TABLE versions (id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, doc_id TEXT NOT NULL, version TEXT NOT NULL,
    chunker TEXT NOT NULL, created REAL, title TEXT NOT NULL, given TEXT NOT NULL, extracted TEXT NOT NULL,
    text TEXT NOT NULL, UNIQUE (tenant, doc_id, version, chunker),
    FOREIGN KEY (tenant, doc_id) REFERENCES documents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE chunks (version_id INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE, ordinal INTEGER NOT NULL,
    chunk_id TEXT NOT NULL, heading TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, text TEXT NOT NULL,
    metadata TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (version_id, ordinal));
CREATE INDEX chunks_by_id ON chunks (chunk_id);
CREATE INDEX chunks_by_key ON chunks (key);
CREATE TABLE vectors (key TEXT NOT NULL, embedder TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (key, embedder));
CREATE TABLE terms (key TEXT NOT NULL, rules TEXT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (key, rules));
CREATE TABLE unclaimed (key TEXT PRIMARY KEY, since REAL NOT NULL);
"""

_STAMP: Final = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {SCHEMA};"


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file, or bring those of schema 1 up to date, in one transaction.

    Raises `errors.Conflict` for a file of a newer release or of another program, `StoreDamaged` for one that is ours
    and has not the tables that it says.
    """
    found, application, tables = _identity(connection)
    if (found, application) == (SCHEMA, APPLICATION):
        _check(connection)
    elif found == 0 and not tables:
        connection.executescript(f"BEGIN IMMEDIATE; {DDL} {_STAMP} COMMIT;")
    elif found == 1 and {"documents", "versions", "chunks", "embedder"} <= tables:
        # Foreign keys are off: dropping a table would otherwise delete what refers to it.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.executescript(f"BEGIN IMMEDIATE; {FROM_1} {_STAMP} COMMIT;")
    else:
        raise errors.Conflict(_refusal(found, application))


def structure(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """Kind, name and definition of all that a file defines, but for the spaces and quotes that a migration changes."""
    found = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return frozenset((kind, name, re.sub(r'[\s"]+', "", sql)) for kind, name, sql in found)


@cache
def ours() -> frozenset[tuple[str, str, str]]:
    """The structure of a store of this release."""
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(DDL)
        return structure(made)


def _check(connection: sqlite3.Connection) -> None:
    """What every change builds on. One look each: `max` takes the end of an index, where a text would stand."""
    if structure(connection) != ours():
        raise damaged()
    kinds = connection.execute(
        "SELECT (SELECT typeof(value) FROM counters WHERE name = 'generation'), typeof(max(current)) FROM documents"
    ).fetchone()
    if tuple(kinds) not in (("integer", "integer"), ("integer", "null")):
        raise damaged()
    # From two indexes, as fast as they are small: the rows of `versions` hold whole texts.
    if connection.execute("SELECT current FROM documents EXCEPT SELECT id FROM versions LIMIT 1").fetchone():
        raise damaged()


def _identity(connection: sqlite3.Connection) -> tuple[int, int, set[str]]:
    """Schema version, application and tables of a file."""
    version, application = connection.execute("SELECT * FROM pragma_user_version, pragma_application_id").fetchone()
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return int(version), int(application), {name for (name,) in tables}


def _refusal(found: int, application: int) -> str:
    if application == APPLICATION and found > SCHEMA:
        return (
            f"The document store has schema version {found} and this release reads up to {SCHEMA}: "
            "use the release that wrote it, or a new data folder."
        )
    return "The file where the document store should be is another program's: use a new data folder."
