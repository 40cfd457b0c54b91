"""A store of another schema is migrated wholly or not at all, or refused; it is never guessed at."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import errors
from context.retrieval import Principal, SearchRequest
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.kept import Kept
from corpus.reindex import reindex
from corpus.store import schema
from corpus.store.database import Database
from corpus.store.migration import FROM_1
from corpus.store.schema import APPLICATION, DDL, SCHEMA
from tests.fakes.embedder import HashEmbedder

WRITTEN_BY_1 = (Path(__file__).parent / "schema_1.sql").read_text("utf-8")
ME = Principal()
HR = Principal(groups=frozenset({"hr"}))
OTHER = Principal(tenant="other")
HANDBOOK = "# 电梯\n\n第一条　电梯维修费用由业主承担。\n\n第二条　录像保存九十日。"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index's folder as release 0.1.0 left it."""
    with closing(sqlite3.connect(tmp_path / "documents.sqlite3")) as connection:
        connection.executescript(WRITTEN_BY_1)
    return tmp_path


def test_the_fixture_is_of_schema_1(folder: Path) -> None:
    assert look(folder, "PRAGMA user_version") == [(1,)]
    assert look(folder, "SELECT COUNT(*) FROM versions") == [(4,)]


async def test_a_store_of_schema_1_answers_as_before_and_nothing_is_embedded(folder: Path) -> None:
    embedder = HashEmbedder("hash", 8)
    with pytest.raises(errors.Conflict, match="gapseek reindex"):
        await Index.open(folder, embedder)
    assert (await reindex(folder, embedder, Kept(), lambda *progress: None)).embedded == 0
    index = await Index.open(folder, embedder)
    assert [document.doc_id for document in index.catalogue.visible(HR)] == ["secret", "手册/电梯.md"]
    assert [document.doc_id for document in index.catalogue.visible(ME)] == ["手册/电梯.md"]
    assert [document.title for document in index.catalogue.visible(OTHER)] == ["secret"]
    handbook = next(iter(index.catalogue.visible(ME)))
    given: dict[str, Any] = {"year": 2024, "draft": False, "note": None, "tags": []}
    assert handbook.metadata == {**given, "kind": "手册"}
    hits = (await index.search(SearchRequest(("录像保存",), ME))).docs
    texts = await index.read([hit["chunk_id"] for hit in hits] + ["手册/电梯.md#48538533b8887823"], ME)
    assert "第二条　录像保存九十日。" in {passage.text for passage in texts.values()}
    assert texts["手册/电梯.md#48538533b8887823"].text == "第二条　录像保存三十日。"
    assert (index.generation_of(ME), index.generation_of(OTHER)) == (4, 5)
    assert set(embedder.embedded) == {"录像保存"}
    same = NewDocument("手册/电梯.md", HANDBOOK, None, given)
    assert [outcome.result for outcome in await index.add([same], ME)] == ["unchanged"]
    await index.close()


async def test_another_embedder_is_noticed_after_the_migration_too(folder: Path) -> None:
    with pytest.raises(errors.Conflict, match=r"'hash \(8 dimensions\)', which is now 'hash \(16 dimensions\)'"):
        await Index.open(folder, HashEmbedder("hash", 16))


def test_a_migrated_store_has_the_tables_of_a_new_one(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    fresh = tmp_path_factory.mktemp("fresh")
    for place in (folder, fresh):
        Database.open(place / "documents.sqlite3").close()
    assert shape(folder) == shape(fresh)
    assert look(folder, "PRAGMA foreign_key_check") == []
    assert look(folder, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("statement", range(1, FROM_1.count(";") + 1))
def test_a_migration_that_is_cut_off_leaves_schema_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, statement: int
) -> None:
    before = dump(folder)
    parts = FROM_1.split(";")
    cut = ";".join([*parts[:statement], " SELECT no_such_function()", *parts[statement:]])
    with monkeypatch.context() as patched:
        patched.setattr(schema, "FROM_1", cut)
        with pytest.raises(sqlite3.OperationalError, match="no_such_function"):
            Database.open(folder / "documents.sqlite3")
    assert dump(folder) == before
    Database.open(folder / "documents.sqlite3").close()
    assert look(folder, "PRAGMA user_version") == [(SCHEMA,)]


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        (f"{DDL} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 99;", "schema version 99"),
        ("CREATE TABLE albums (name TEXT); PRAGMA user_version = 1;", "another program's"),
        ("CREATE TABLE albums (name TEXT);", "another program's"),
        (f"CREATE TABLE albums (name TEXT); PRAGMA user_version = {SCHEMA};", "another program's"),
    ],
)
def test_a_newer_or_foreign_store_is_refused_and_left_as_it_is(tmp_path: Path, statements: str, sentence: str) -> None:
    with closing(sqlite3.connect(tmp_path / "documents.sqlite3")) as connection:
        connection.executescript(statements)
    before = (tmp_path / "documents.sqlite3").read_bytes()
    with pytest.raises(errors.Conflict, match=sentence):
        Database.open(tmp_path / "documents.sqlite3")
    assert (tmp_path / "documents.sqlite3").read_bytes() == before


def look(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "documents.sqlite3")) as connection:
        return connection.execute(sql).fetchall()


def dump(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "documents.sqlite3")) as connection:
        return [*connection.iterdump(), str(connection.execute("PRAGMA user_version").fetchone())]


def shape(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Per table its columns, foreign keys and indexes."""
    tables = [name for (name,) in look(folder, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: [
            *look(folder, f"PRAGMA table_xinfo({table})"),
            *sorted(look(folder, f"PRAGMA foreign_key_list({table})")),
            *sorted(look(folder, f"SELECT name FROM pragma_index_list('{table}')")),  # noqa: S608
        ]
        for table in tables
    }
