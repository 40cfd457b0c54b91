"""Not one byte free: what can be done without, is; a deletion makes room; and what was dropped is given back."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from context.retrieval import Principal
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.kept import Kept
from corpus.owner import DataFolder
from corpus.places import STORE
from corpus.reindex import reindex
from corpus.reserve import RESERVE, Reserve
from corpus.store.database import Database
from corpus.store.faults import StoreFailed
from tests.fakes.embedder import HashEmbedder

ROOT = Path(__file__).parents[2]
ME = Principal()
TEXT = "\n\n".join(f"第{n}条　第 {n} 次检修的费用由业主大会承担。" for n in range(200))

ON_A_FULL_DISK = """
import asyncio, sys
from pathlib import Path

from corpus import reserve
from graph import knowledge
from server import create_app
from settings import Settings
from tests.fakes.service import client_of
from tests.integration.test_no_room import STORE, TEXT, HashEmbedder

async def embedder(settings, stack):
    return HashEmbedder()

async def main(folder):
    knowledge.open_embedder = embedder
    settings = Settings.model_construct(data=folder / "data")
    async with client_of(create_app(settings, sample=False)) as client:
        for n in range(3):
            await client.post("/documents", json={"documents": [{"doc_id": f"d{n}", "text": f"{n} {TEXT}"}]})
        thread = (await client.post("/ask", json={"question": "第 7 次检修的费用由谁承担？"})).json()["thread_id"]
    with (folder / "filling").open("wb", buffering=0) as filling:
        try:
            while True:
                filling.write(b"x" * 4096)
        except OSError as error:
            print(error.errno, reserve.free_at(folder))
    for _ in range(2):
        async with client_of(create_app(settings)) as client:
            print((await client.get("/ready")).json()["degraded"][0][:17])
            asked = await client.post("/ask", json={"question": "第 7 次检修的费用由谁承担？"})
            print(asked.status_code, asked.json()["status"], (await client.get(f"/threads/{thread}")).status_code)
            refused = await client.post("/documents", json={"documents": [{"doc_id": "n", "text": TEXT * 40}]})
            print(refused.status_code, refused.json()["code"])
    before = (folder / "data" / "index" / STORE).stat().st_size
    async with client_of(create_app(settings)) as client:
        for n in range(2):
            print((await client.delete(f"/documents/d{n}")).status_code)
        print((folder / "data" / "index" / STORE).stat().st_size < before * 0.6)

asyncio.run(main(Path(sys.argv[1])))
"""


def test_on_a_disk_without_a_byte_free(tmp_path: Path) -> None:
    mounted = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=32m none "$1" && shift && exec "$@"', "sh"]
    if subprocess.run([*mounted, tmp_path, "true"], capture_output=True).returncode:
        pytest.skip("no file system of a given size can be mounted here")
    ran = subprocess.run(
        [*mounted, tmp_path, sys.executable, "-c", ON_A_FULL_DISK, tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    start = ["The disk is full:", "200 answered 200", "503 disk_full"]
    assert ran.stdout.splitlines() == ["28 0", *start, *start, "204", "204", "True"]
    assert "Traceback" not in ran.stderr


async def test_a_deletion_on_a_full_disk_takes_what_was_kept_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = await Index.open(tmp_path, None)
    await index.add([NewDocument("d", TEXT)], ME)
    kept = Reserve(tmp_path / STORE)
    kept.take_back()
    full, give = [True], Reserve.give

    def giving(self: Reserve) -> bool:
        full.clear()
        return give(self)

    def refused(*args: object) -> None:
        if full:
            raise StoreFailed("The disk is full.", code="disk_full")

    monkeypatch.setattr(Reserve, "give", giving)
    monkeypatch.setattr("corpus.store.documents.drop_unused", refused)
    assert await index.delete("d", ME)
    assert not kept.give()
    await index.close()


async def test_an_almost_full_disk_takes_no_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await Index.open(tmp_path, HashEmbedder())
    await index.add([NewDocument("d", TEXT)], ME)
    monkeypatch.setattr("corpus.store.database.free_at", lambda folder: RESERVE - 1)
    with pytest.raises(StoreFailed, match="The disk is full"):
        await index.add([NewDocument("e", TEXT)], ME)
    assert await index.delete("d", ME)
    await index.close()


def test_room_is_kept_once_there_is_plenty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "index" / STORE
    with DataFolder.acquire(tmp_path) as owned:
        owned.keep_room()
        assert not Reserve(store).give()
        store.parent.mkdir()
        owned.keep_room()
        assert store.with_name(f"{STORE}-reserve").stat().st_size == RESERVE
    assert Reserve(store).give()
    monkeypatch.setattr("corpus.reserve.free_at", lambda folder: 3 * RESERVE)
    with DataFolder.acquire(tmp_path):
        pass
    assert not Reserve(store).give()


async def test_what_was_deleted_is_given_back_to_the_disk(tmp_path: Path) -> None:
    index = await Index.open(tmp_path, HashEmbedder())
    await index.add([NewDocument(f"d{n}", f"{n} {TEXT}") for n in range(10)], ME)
    for n in range(9):
        await index.delete(f"d{n}", ME)
    await index.close()
    assert size(tmp_path) < 0.25 * await size_of(10, tmp_path / "other")
    assert pragma(tmp_path, "freelist_count") == 0


async def test_a_store_that_could_not_shrink_can_after_a_rebuild(tmp_path: Path) -> None:
    await size_of(10, tmp_path)
    with closing(sqlite3.connect(tmp_path / STORE, isolation_level=None)) as store:
        store.executescript("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM;")
    index = await Index.open(tmp_path, HashEmbedder())
    for n in range(9):
        await index.delete(f"d{n}", ME)
    await index.close()
    before = size(tmp_path)
    assert pragma(tmp_path, "freelist_count") > 0
    await reindex(tmp_path, HashEmbedder(), Kept(), lambda *progress: None)
    assert size(tmp_path) < before / 3
    assert (pragma(tmp_path, "auto_vacuum"), pragma(tmp_path, "freelist_count")) == (2, 0)
    assert pragma(tmp_path, "user_version") == 2


async def test_a_rebuild_without_room_to_shrink_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await size_of(2, tmp_path)

    def refused(self: Database) -> None:
        raise StoreFailed("The disk is full.", code="disk_full")

    monkeypatch.setattr(Database, "shrink", refused)
    await reindex(tmp_path, HashEmbedder(), Kept(), lambda *progress: None)
    assert "could not be made smaller" in caplog.text


async def size_of(documents: int, folder: Path) -> int:
    index = await Index.open(folder, HashEmbedder())
    await index.add([NewDocument(f"d{n}", f"{n} {TEXT}") for n in range(documents)], ME)
    await index.close()
    return size(folder)


def size(folder: Path) -> int:
    return (folder / STORE).stat().st_size


def pragma(folder: Path, name: str) -> int:
    with closing(sqlite3.connect(folder / STORE)) as store:
        return int(store.execute(f"PRAGMA {name}").fetchone()[0])
