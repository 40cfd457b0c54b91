"""The store says what it is, and changes wholly or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import errors
from corpus.store.database import Database
from corpus.store.faults import StoreFailed
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


def test_a_store_that_another_process_holds_is_said_to_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpus.store.database._PATIENCE_MS", 1)
    database = Database.open(tmp_path / "documents.sqlite3")
    with closing(sqlite3.connect(tmp_path / "documents.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed, match="locked by another process"), database.write():
            pass
        other.execute("ROLLBACK")
    with database.write() as connection:
        connection.execute("INSERT INTO tenants VALUES ('t', 1)")
    assert len(database.read("SELECT * FROM tenants")) == 1
    database.close()


def test_a_store_damaged_near_its_end_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "documents.sqlite3"
    database = Database.open(path)
    with database.write() as connection:
        connection.executemany("INSERT INTO tenants VALUES (?, 1)", [(f"tenant {n}",) for n in range(2_000)])
    database.close()
    content = bytearray(path.read_bytes())
    content[-4096 * 9 :] = b"\xff" * (4096 * 9)
    path.write_bytes(content)
    database = Database.open(path)
    with pytest.raises(StoreFailed, match="gapseek restore"):
        database.read("SELECT * FROM tenants")
    database.close()


def test_deleted_text_is_in_no_file_afterwards(tmp_path: Path) -> None:
    database = Database.open(tmp_path / "documents.sqlite3")
    with database.write() as connection:
        connection.execute("INSERT INTO tenants VALUES ('a secret name', 1)")
    with database.write() as connection:
        connection.execute("DELETE FROM tenants")
    database.forget()
    assert not [file for file in tmp_path.iterdir() if b"a secret name" in file.read_bytes()]
    database.close()
