"""The store says what it is, and changes wholly or not at all."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import errors
from corpus.store.database import Database
from corpus.store.schema import SCHEMA


def test_another_schema_version_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "documents.sqlite3"
    Database.open(path).close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(errors.Conflict, match="schema version 99"):
        Database.open(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "documents.sqlite3").write_bytes(b"not a database at all" * 100)
    with pytest.raises(errors.Conflict, match="damaged"):
        Database.open(tmp_path / "documents.sqlite3")


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "documents.sqlite3")
    with pytest.raises(sqlite3.IntegrityError):
        insert_twice(database)
    assert database.read("SELECT * FROM tenants") == []
    database.close()


def insert_twice(database: Database) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO tenants VALUES ('t', 1)")
        connection.execute("INSERT INTO tenants VALUES ('t', 2)")
