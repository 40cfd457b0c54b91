from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.owner import DataFolder
from corpus.snapshot import snapshot
from errors import Conflict, NotFound

ME = Principal()


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


async def ids(folder: Path) -> list[str]:
    index = await Index.open(folder / "index", None)
    try:
        return [document.doc_id for document in await index.documents(ME)]
    finally:
        await index.close()


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    made = tmp_path / "data"
    with DataFolder.acquire(made):
        index = await Index.open(made / "index", None)
        await index.add([NewDocument("a", "Leave is 20 days.")], ME)
        await index.close()
    (made / "threads.sqlite").write_bytes(b"threads")
    return made


async def test_the_folder_stays_as_it_is_and_threads_stay_there(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    assert snapshot(folder, tmp_path / "copy") is None
    assert contents(folder) == before
    assert list(contents(tmp_path / "copy")) == ["index/documents.sqlite3"]
    assert await ids(tmp_path / "copy") == ["a"]


async def test_beside_an_owner_that_is_writing_what_was_committed_is_copied(folder: Path, tmp_path: Path) -> None:
    with DataFolder.acquire(folder):
        index = await Index.open(folder / "index", None)
        await index.add([NewDocument("b", "Notice is 3 months.")], ME)
        owner = snapshot(folder, tmp_path / "copy")
        await index.close()
    assert owner is not None
    assert owner.pid == os.getpid()
    assert await ids(tmp_path / "copy") == ["a", "b"]


KILLED = """
import asyncio, os, sys
from pathlib import Path
from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
async def main():
    index = await Index.open(Path(sys.argv[1]), None)
    await index.add([NewDocument("c", "The lease is 5 years.")], Principal())
    os._exit(1)
asyncio.run(main())
"""


async def test_what_a_killed_process_left_in_the_log_is_copied_and_left_there(folder: Path, tmp_path: Path) -> None:
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", KILLED, str(folder / "index")], check=False)
    before = contents(folder)
    assert "index/documents.sqlite3-wal" in before
    snapshot(folder, tmp_path / "copy")
    assert contents(folder) == before
    assert await ids(tmp_path / "copy") == ["a", "c"]


def test_a_folder_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        snapshot(tmp_path, tmp_path / "copy")


def test_a_store_that_is_gone(folder: Path, tmp_path: Path) -> None:
    (folder / "index" / "documents.sqlite3").unlink()
    with pytest.raises(Conflict):
        snapshot(folder, tmp_path / "copy")


def test_the_copy_is_a_whole_database(folder: Path, tmp_path: Path) -> None:
    snapshot(folder, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy" / "index" / "documents.sqlite3")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
