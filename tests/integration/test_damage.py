"""Damage on the disk: every way in says `store_damaged` and what to do, and none a stack."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from httpx import AsyncClient, Response

import errors
from context.retrieval import Principal
from corpus.backup import backup
from corpus.embeddings.e5 import E5Embedder
from corpus.index import Index
from corpus.kept import Kept
from corpus.lost import NO_THREADS
from corpus.places import STORE
from corpus.reindex import reindex
from corpus.store.faults import StoreFailed
from graph.upkeep import rebuild
from graph.wiring import open_services
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index, scripted

ME = Principal()
TEXT = "Employees have 20 days of paid leave a year."
QUESTION = {"question": "How many days of paid leave?"}


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """A data folder with two documents, a superseded version and a thread."""
    async with service(tmp_path / "data") as client:
        for text in ("Once it was 19 days.", TEXT):
            await client.post("/documents", json={"documents": [{"doc_id": "leave", "text": text}]})
        await client.post("/documents", json={"documents": [{"doc_id": "other", "text": "Notice is 3 months."}]})
        assert (await client.post("/ask", json=QUESTION)).status_code == 200
    return tmp_path / "data"


@asynccontextmanager
async def service(folder: Path) -> AsyncIterator[AsyncClient]:
    opener = opening_index(folder, lambda index: scripted(), HashEmbedder())
    app = create_app(Settings.model_construct(data=folder), opener=opener)
    async with client_of(app) as client:
        yield client


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "index" / STORE)) as store, store:
        for statement in statements:
            store.execute(statement)


def thread_of(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "threads.sqlite")) as threads:
        return str(threads.execute("SELECT thread_id FROM checkpoints").fetchone()[0])


def assert_damaged(reply: Response, remedy: str = "gapseek restore") -> None:
    assert (reply.status_code, reply.json()["code"]) == (503, "store_damaged")
    assert remedy in reply.json()["detail"]
    assert reply.json()["retryable"] is False


@pytest.mark.parametrize("emptied", [True, False])
async def test_a_folder_whose_store_is_gone_does_not_start_empty(data: Path, emptied: bool) -> None:
    (data / "index" / STORE).unlink()
    if emptied:
        (data / "index" / STORE).touch()
    for opening in (open_services(Settings.model_construct(data=data)), rebuilding(data)):
        with pytest.raises(errors.Conflict, match="gapseek restore") as refused:
            async with opening:
                pass
        assert refused.value.reason == "store_damaged"
    assert (data / "index" / STORE).is_file() == emptied


@asynccontextmanager
async def rebuilding(folder: Path) -> AsyncIterator[None]:
    await rebuild(Settings.model_construct(data=folder), lambda part, done, total: None)
    yield


BAD_ROWS = {
    "metadata that is no JSON": "UPDATE versions SET given = '{'",
    "metadata that is a list": "UPDATE versions SET extracted = '[1]'",
    "metadata with NaN": "UPDATE versions SET given = '{\"a\": NaN}'",
    "metadata set by hand that is bytes": "UPDATE documents SET set_metadata = x'00'",
    "groups that are no list": "UPDATE documents SET given_groups = '{}'",
    "groups that are no JSON": "UPDATE documents SET given_groups = 'hr'",
    "groups of numbers": "UPDATE documents SET set_groups = '[1]'",
    "a time that is a text": "UPDATE versions SET created = 'yesterday'",
    "a time beyond all calendars": "UPDATE versions SET created = 1e300",
    "a title of bytes": "UPDATE versions SET title = x'ff'",
    "a title that is no UTF-8": "UPDATE versions SET title = CAST(x'ff' AS TEXT)",
    "a place that is a text": "UPDATE chunks SET start = 'here'",
    "metadata of a chunk that are no JSON": "UPDATE chunks SET metadata = ''",
}


@pytest.mark.parametrize("bad", BAD_ROWS)
async def test_a_bad_row_is_said_wherever_it_is_read(data: Path, bad: str) -> None:
    change(data, BAD_ROWS[bad])
    async with service(data) as client:
        assert_damaged(await client.get("/documents/leave"))


@pytest.mark.parametrize("bad", ["metadata that is no JSON", "a title of bytes", "groups of numbers"])
async def test_a_bad_row_fails_an_ask_a_search_and_a_rebuild(data: Path, bad: str) -> None:
    change(data, BAD_ROWS[bad])
    async with service(data) as client:
        for reply in (
            await client.post("/search", json={"query": "paid leave"}),
            await client.post("/ask", json=QUESTION),
        ):
            assert_damaged(reply)
        streamed = (await client.post("/ask", json={**QUESTION, "stream": True})).text
        assert '"code":"store_damaged"' in streamed.replace(" ", "")
    shutil.rmtree(data / "index" / "index")
    with pytest.raises(StoreFailed, match="gapseek restore"):
        async with service(data):
            pass


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE terms",
        "ALTER TABLE versions DROP COLUMN created",
        "CREATE TRIGGER t AFTER DELETE ON documents BEGIN DELETE FROM versions; END",
        "CREATE VIEW v AS SELECT 1",
        "DROP INDEX chunks_by_key",
        "UPDATE counters SET value = 'many'",
        "DELETE FROM counters",
        "UPDATE documents SET current = 'the newest' WHERE doc_id = 'leave'",
        "DELETE FROM versions",
        "DELETE FROM versions WHERE doc_id = 'leave'",
    ],
)
async def test_a_store_that_is_not_as_we_write_it_is_not_opened(data: Path, statement: str) -> None:
    change(data, statement)
    with pytest.raises(errors.Conflict, match="gapseek restore") as refused:
        await Index.open(data / "index", HashEmbedder())
    assert refused.value.reason == "store_damaged"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vectors SET vector = x'0000'",
        "UPDATE vectors SET vector = 'none'",
        "UPDATE terms SET counts = '{'",
        'UPDATE terms SET counts = \'{"leave": "often"}\'',
        "UPDATE terms SET counts = x'00'",
    ],
)
async def test_what_can_be_computed_again_is_by_a_rebuild(data: Path, statement: str) -> None:
    change(data, statement)
    shutil.rmtree(data / "index" / "index")
    with pytest.raises(StoreFailed, match="damaged"):
        async with service(data):
            pass
    await reindex(data / "index", HashEmbedder(), Kept(), lambda *progress: None)
    async with service(data) as client:
        hits = (await client.post("/search", json={"query": "paid leave"})).json()["hits"]
    assert hits[0]["doc_id"] == "leave"
    assert {rank["lane"] for rank in hits[0]["lanes"]} == {"keyword", "vector"}


@pytest.mark.parametrize("lost", [True, False])
async def test_a_start_says_that_the_file_of_threads_is_gone(
    data: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, lost: bool
) -> None:
    monkeypatch.setattr(E5Embedder, "load", lambda: None)
    if lost:
        (data / "threads.sqlite").unlink()
    async with open_services(Settings.model_construct(data=data)):
        pass
    assert (NO_THREADS in caplog.messages) == lost


def garbage(file: Path) -> None:
    file.write_bytes(b"\x13\x37" * 20_000)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5_000])


@pytest.mark.parametrize("damage", [garbage, cut])
async def test_a_damaged_file_of_threads_is_said_at_the_start(data: Path, damage: object) -> None:
    assert callable(damage)
    damage(data / "threads.sqlite")
    with pytest.raises(StoreFailed, match=r"file of threads is damaged.*gapseek restore"):
        async with service(data):
            pass


async def test_a_file_of_threads_that_is_damaged_in_its_middle_is_said_by_the_list(data: Path) -> None:
    async with service(data):
        pass
    file = data / "threads.sqlite"
    content = file.read_bytes()
    assert len(content) > 3 * 4096
    file.write_bytes(content[:4096] + b"\x13\x37" * ((len(content) - 4096) // 2))
    async with service(data) as client:
        assert_damaged(await client.get("/threads"))
        assert_damaged(await client.get("/threads?status=awaiting_human"))
    with pytest.raises(StoreFailed, match=r"file of threads is damaged.*gapseek restore"):
        backup(data, data.parent / "b.zip")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoints SET checkpoint = x'c1'",
        "UPDATE checkpoints SET checkpoint = 'none'",
        "UPDATE checkpoints SET type = 'unheard of'",
        "UPDATE checkpoints SET type = 'json', checkpoint = '[]'",
        "UPDATE checkpoints SET metadata = '{'",
        "UPDATE checkpoints SET metadata = '[]'",
        "UPDATE writes SET value = x'c1'",
        "DROP TABLE checkpoints",
        "ALTER TABLE checkpoints DROP COLUMN metadata",
    ],
)
async def test_damage_among_threads_is_said_by_every_address_that_reads_them(data: Path, statement: str) -> None:
    thread = thread_of(data)
    async with service(data) as client:
        with closing(sqlite3.connect(data / "threads.sqlite")) as threads, threads:
            threads.execute(statement)
        if statement.startswith("UPDATE writes"):
            assert_damaged(await client.get(f"/threads/{thread}/history"))
            return
        for path in (f"/threads/{thread}", f"/threads/{thread}/history"):
            assert_damaged(await client.get(path))
        assert_damaged(await client.post("/ask", json={**QUESTION, "thread_id": thread}))
        assert_damaged(await client.post("/ask", json={**QUESTION, "thread_id": thread, "stream": True}))


async def test_threads_without_room_are_a_full_disk_as_json_and_as_events(data: Path) -> None:
    opener = opening_index(data, lambda index: scripted(), HashEmbedder())
    app = create_app(Settings.model_construct(data=data), opener=opener)
    async with client_of(app) as client:
        connection = app.state.engine.saver.conn
        pages = (await (await connection.execute("PRAGMA page_count")).fetchone())[0]
        await (await connection.execute(f"PRAGMA max_page_count = {pages}")).fetchone()
        refused = await client.post("/ask", json=QUESTION)
        assert (refused.status_code, refused.json()["code"]) == (503, "disk_full")
        streamed = (await client.post("/ask", json={**QUESTION, "stream": True})).text
        assert '"code":"disk_full"' in streamed.replace(" ", "")
        await (await connection.execute("PRAGMA max_page_count = 1000000")).fetchone()
        assert (await client.post("/ask", json=QUESTION)).status_code == 200


async def test_a_thread_that_could_not_be_deleted_is_wholly_there(data: Path) -> None:
    thread = thread_of(data)
    async with service(data) as client:
        with closing(sqlite3.connect(data / "threads.sqlite")) as threads, threads:
            threads.execute(
                "CREATE TRIGGER t BEFORE DELETE ON writes BEGIN SELECT raise(ABORT, 'database is locked'); END"
            )
        refused = await client.delete(f"/threads/{thread}")
        assert refused.status_code == 500
        assert (await client.post("/ask", json=QUESTION)).status_code == 200
        assert (await client.get(f"/threads/{thread}/history")).status_code == 200
        await asyncio.sleep(0)
