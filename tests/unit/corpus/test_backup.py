"""A backup is of one moment, says what it is, and is put back wholly or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import errors
from context.retrieval import Principal, SearchRequest
from corpus import swap
from corpus.backup import backup
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.manifest import MANIFEST
from corpus.owner import DataFolder
from corpus.places import STORE
from corpus.restore import restore
from corpus.store.faults import StoreFailed
from corpus.store.schema import SCHEMA
from corpus.verify import THREADS
from tests.fakes.embedder import HashEmbedder

ME = Principal()
ROOT = Path(__file__).parents[3]


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """A data folder with a document, a thread, and files derived from the store."""
    folder = tmp_path / "data"
    index = await Index.open(folder / "index", HashEmbedder())
    await index.add([NewDocument("手册", "录像保存三十日。", metadata={"year": 2024})], ME)
    await index.close()
    async with AsyncSqliteSaver.from_conn_string(str(folder / "threads.sqlite")) as saver:
        await saver.aput({"configurable": {"thread_id": "t1", "checkpoint_ns": ""}}, empty_checkpoint(), {}, {})
    return folder


async def found(folder: Path, query: str = "录像") -> list[str]:
    index = await Index.open(folder / "index", HashEmbedder())
    try:
        return [hit["doc_id"] for hit in (await index.search(SearchRequest((query,), ME))).docs]
    finally:
        await index.close()


def threads(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "threads.sqlite")) as kept:
        return [row[0] for row in kept.execute("SELECT thread_id FROM checkpoints")]


def restored(file: Path, folder: Path, **options: bool) -> None:
    with DataFolder.acquire(folder):
        restore(file, folder, **options)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"owner.lock"}


async def test_what_was_backed_up_comes_back(data: Path, tmp_path: Path) -> None:
    manifest = backup(data, tmp_path / "b.zip")
    assert (manifest.schema, manifest.generation) == (SCHEMA, 1)
    assert manifest.fingerprints["embedder"] == "hash (32 dimensions)"
    assert file_mode(tmp_path / "b.zip") == 0o600
    restored(tmp_path / "b.zip", tmp_path / "new")
    assert await found(tmp_path / "new") == ["手册"]
    assert threads(tmp_path / "new") == ["t1"]
    assert names(tmp_path) == {"data", "new", "b.zip"}


WRITER = """
import asyncio, sys
from pathlib import Path
from tests.unit.corpus.test_backup import DataFolder, HashEmbedder, Index, ME, NewDocument

async def main():
    folder = Path(sys.argv[1])
    with DataFolder.acquire(folder):
        index = await Index.open(folder / "index", HashEmbedder())
        for n in range(100_000):
            await index.add([NewDocument(f"{m}", f"录像 {n} {m}") for m in range(3)], ME)
            print(n, flush=True)

asyncio.run(main())
"""


async def test_a_backup_is_made_while_another_process_writes_and_is_of_one_moment(tmp_path: Path) -> None:
    await asyncio.to_thread(back_up_what_is_written_to, tmp_path / "data", tmp_path)
    for name in ("0", "1", "2", "of-the-killed"):
        restored(tmp_path / f"{name}.zip", tmp_path / name)
        assert sorted(await found(tmp_path / name)) == ["0", "1", "2"]
        with closing(sqlite3.connect(tmp_path / name / "index" / STORE)) as store:
            texts = store.execute("SELECT text FROM documents JOIN versions ON id = current").fetchall()
        assert len({text.split()[1] for (text,) in texts}) == 1


def back_up_what_is_written_to(data: Path, target: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(data)], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for number in range(3):
            backup(data, target / f"{number}.zip")
        with pytest.raises(errors.Conflict, match="in use"):
            restored(target / "0.zip", data, replace=True)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    backup(data, target / "of-the-killed.zip")


def test_there_must_be_something_to_back_up_and_room_for_its_name(data: Path, tmp_path: Path) -> None:
    with pytest.raises(errors.NotFound):
        backup(tmp_path / "nothing", tmp_path / "b.zip")
    (tmp_path / "b.zip").write_text("precious")
    with pytest.raises(errors.Conflict, match="exists"):
        backup(data, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_text() == "precious"
    backup(data, tmp_path / "b.zip", replace=True)
    assert zipfile.is_zipfile(tmp_path / "b.zip")


async def test_a_folder_that_holds_something_is_replaced_only_when_told(data: Path, tmp_path: Path) -> None:
    backup(data, tmp_path / "b.zip")
    index = await Index.open(data / "index", HashEmbedder())
    await index.add([NewDocument("later", "录像，后来。")], ME)
    await index.close()
    with pytest.raises(errors.Conflict, match="not empty"):
        restored(tmp_path / "b.zip", data)
    assert sorted(await found(data)) == ["later", "手册"]
    restored(tmp_path / "b.zip", data, replace=True)
    assert await found(data) == ["手册"]


async def test_without_threads_in_the_backup_the_folder_has_none_afterwards(data: Path, tmp_path: Path) -> None:
    (data / "threads.sqlite").rename(tmp_path / "aside")
    backup(data, tmp_path / "b.zip")
    (tmp_path / "aside").rename(data / "threads.sqlite")
    restored(tmp_path / "b.zip", data, replace=True)
    assert names(data) == {"index"}


Members = dict[str, bytes]


def unpack(file: Path) -> Members:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(file: Path, members: Members) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def manifest_of(members: Members, **changed: Any) -> Members:
    told = json.loads(members[MANIFEST]) | changed
    return members | {MANIFEST: json.dumps(told).encode()}


DAMAGES: dict[str, Callable[[Members], Members]] = {
    "no manifest": lambda m: {name: data for name, data in m.items() if name != MANIFEST},
    "a manifest that is no JSON": lambda m: m | {MANIFEST: b"{"},
    "a manifest of something else": lambda m: m | {MANIFEST: b'{"version": 1}'},
    "a manifest of other types": lambda m: manifest_of(m, schema=None),
    "a size that is none": lambda m: manifest_of(m, files={STORE: {"bytes": "x", "sha256": ""}}),
    "a list": lambda m: m | {MANIFEST: b"[]"},
    "a newer form": lambda m: manifest_of(m, form=2),
    "a newer schema": lambda m: manifest_of(m, schema=SCHEMA + 1),
    "another generation": lambda m: manifest_of(m, generation=7),
    "a path out of the folder": lambda m: (
        manifest_of(m, files={"../evil": {"bytes": 1, "sha256": ""}}) | {"../evil": b"x"}
    ),
    "a path beside the store": lambda m: (
        manifest_of(m, files=json.loads(m[MANIFEST])["files"] | {"../evil": {"bytes": 1, "sha256": ""}})
        | {"../evil": b"x"}
    ),
    "a missing file": lambda m: {name: data for name, data in m.items() if name != STORE},
    "a changed file": lambda m: m | {STORE: m[STORE][:-1] + b"!"},
    "a longer file": lambda m: m | {STORE: m[STORE] + b"!" * 5_000_000},
    "a shorter file": lambda m: m | {STORE: m[STORE][:-4096]},
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_what_is_no_whole_backup_is_refused_and_the_folder_stays(data: Path, tmp_path: Path, damage: str) -> None:
    backup(data, tmp_path / "b.zip")
    pack(tmp_path / "bad.zip", DAMAGES[damage](unpack(tmp_path / "b.zip")))
    with pytest.raises(errors.BadRequest, match=r"^The .*\.$"):
        restored(tmp_path / "bad.zip", data, replace=True)
    assert await found(data) == ["手册"]
    assert threads(data) == ["t1"]
    assert names(data) == {"index", "threads.sqlite"}
    assert "evil" not in names(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive at all" * 1000])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.zip").write_bytes(content)
    with pytest.raises(errors.BadRequest, match="no backup"):
        restored(tmp_path / "b.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_archive_whose_parts_would_begin_before_it_is_refused(data: Path, tmp_path: Path) -> None:
    backup(data, tmp_path / "b.zip")
    whole = bytearray((tmp_path / "b.zip").read_bytes())
    place = whole.rindex(b"PK\x05\x06") + 16  # where the directory's offset stands
    whole[place : place + 4] = (int.from_bytes(whole[place : place + 4], "little") + 9_000_000).to_bytes(4, "little")
    (tmp_path / "bad.zip").write_bytes(whole)
    with pytest.raises(errors.BadRequest):
        restored(tmp_path / "bad.zip", tmp_path / "new")


def test_every_cut_of_an_archive_is_refused(data: Path, tmp_path: Path) -> None:
    backup(data, tmp_path / "b.zip")
    whole = (tmp_path / "b.zip").read_bytes()
    for end in range(0, len(whole), max(1, len(whole) // 17)):
        (tmp_path / "cut.zip").write_bytes(whole[:end])
        with pytest.raises(errors.BadRequest):
            restored(tmp_path / "cut.zip", tmp_path / "new")


def test_changed_bytes_of_an_archive_are_refused_or_meant_nothing(data: Path, tmp_path: Path) -> None:
    backup(data, tmp_path / "b.zip")
    whole = (tmp_path / "b.zip").read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 101)):
        (tmp_path / "bad.zip").write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            restored(tmp_path / "bad.zip", tmp_path / "new", replace=True)
        except errors.BadRequest:
            continue
        assert unpack(tmp_path / "bad.zip") == unpack(tmp_path / "b.zip")


def with_changed(members: Members, name: str, folder: Path, statements: str) -> Members:
    """The members of a backup that agrees with itself, after these statements on one of its databases."""
    (folder / "changed").write_bytes(members[name])
    with closing(sqlite3.connect(folder / "changed")) as database:
        database.executescript(statements)
    content = (folder / "changed").read_bytes()
    (folder / "changed").unlink()
    told = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return manifest_of(members, files=json.loads(members[MANIFEST])["files"] | {name: told}) | {name: content}


FOREIGN = {
    "a trigger": (STORE, "CREATE TRIGGER t AFTER DELETE ON documents BEGIN DELETE FROM versions; END"),
    "a view": (STORE, "CREATE VIEW v AS SELECT 1"),
    "another table": (STORE, "CREATE TABLE albums (name TEXT)"),
    "another index": (STORE, "CREATE INDEX more ON chunks (heading)"),
    "a column less": (STORE, "ALTER TABLE versions DROP COLUMN created"),
    "a column more": (STORE, "ALTER TABLE versions ADD COLUMN more TEXT"),
    "another name of a tenant": (STORE, "UPDATE tenants SET tenant = x'00'"),
    "metadata that are no JSON": (STORE, "UPDATE versions SET given = '{'"),
    "metadata that are a list": (STORE, "UPDATE versions SET extracted = '[]'"),
    "groups that are numbers": (STORE, "UPDATE documents SET given_groups = '[1]'"),
    "groups by hand that are an object": (STORE, "UPDATE documents SET set_groups = '{}'"),
    "a time beyond all calendars": (STORE, "UPDATE versions SET created = 1e300"),
    "a place that is a text": (STORE, "UPDATE chunks SET start = 'here'"),
    "a version that is none": (STORE, "UPDATE documents SET current = 99"),
    "a short vector": (STORE, "UPDATE vectors SET vector = x'0000'"),
    "a vector of nobody": (STORE, "UPDATE vectors SET embedder = 'somebody'"),
    "counts that are texts": (STORE, 'UPDATE terms SET counts = \'{"a": "b"}\''),
    "a trigger among threads": (
        "threads.sqlite",
        "CREATE TRIGGER t AFTER INSERT ON writes BEGIN DELETE FROM checkpoints; END",
    ),
    "a view among threads": ("threads.sqlite", "CREATE VIEW v AS SELECT 1"),
    "another table among threads": ("threads.sqlite", "CREATE TABLE albums (name TEXT)"),
    "a column less among threads": ("threads.sqlite", "ALTER TABLE checkpoints DROP COLUMN metadata"),
    "a step that is a text": ("threads.sqlite", "UPDATE checkpoints SET checkpoint = 'none'"),
    "a step whose metadata are a list": ("threads.sqlite", "UPDATE checkpoints SET metadata = '[]'"),
}


@pytest.mark.parametrize("case", FOREIGN)
async def test_a_backup_of_what_we_never_write_is_refused_and_the_folder_stays(
    data: Path, tmp_path: Path, case: str
) -> None:
    backup(data, tmp_path / "b.zip")
    pack(tmp_path / "bad.zip", with_changed(unpack(tmp_path / "b.zip"), FOREIGN[case][0], tmp_path, FOREIGN[case][1]))
    with pytest.raises(errors.BadRequest, match=r"^The backup (is damaged|holds what no release of Gapseek writes)\.$"):
        restored(tmp_path / "bad.zip", data, replace=True)
    assert await found(data) == ["手册"]
    assert threads(data) == ["t1"]
    assert names(data) == {"index", "threads.sqlite"}


async def test_a_backup_of_schema_1_is_put_back_and_migrated(data: Path, tmp_path: Path) -> None:
    shutil.rmtree(data / "index")
    (data / "index").mkdir()
    with closing(sqlite3.connect(data / "index" / STORE)) as store:
        store.executescript((Path(__file__).parent / "store" / "schema_1.sql").read_text("utf-8"))
    assert backup(data, tmp_path / "b.zip").schema == 1
    restored(tmp_path / "b.zip", tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / "index" / STORE)) as store:
        assert store.execute("PRAGMA user_version").fetchone() == (SCHEMA,)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"form": 1, "folders": {}, "files": {"a": 1}}', b"[" * 100_000])
async def test_origins_that_are_none_are_neither_backed_up_nor_restored(
    data: Path, tmp_path: Path, content: bytes
) -> None:
    (data / "origins.json").write_bytes(b'{"form": 1, "folders": {}, "files": {"a": "/b"}}')
    backup(data, tmp_path / "b.zip")
    members = unpack(tmp_path / "b.zip")
    told = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    pack(tmp_path / "bad.zip", manifest_of(members, origins=told) | {"origins.json": content})
    with pytest.raises(errors.BadRequest, match="damaged"):
        restored(tmp_path / "bad.zip", data, replace=True)
    assert await found(data) == ["手册"]
    (data / "origins.json").write_bytes(content)
    with pytest.raises(errors.Conflict, match="origins"):
        backup(data, tmp_path / "c.zip")


def test_without_origins_in_the_backup_those_of_the_folder_stay(data: Path, tmp_path: Path) -> None:
    backup(data, tmp_path / "b.zip")
    (data / "origins.json").write_bytes(b'{"form": 1, "folders": {}, "files": {"a": "/b"}}')
    restored(tmp_path / "b.zip", data, replace=True)
    assert names(data) == {"index", "threads.sqlite", "origins.json"}


def test_the_tables_of_threads_are_those_that_langgraph_makes(data: Path) -> None:
    with closing(sqlite3.connect(data / "threads.sqlite")) as kept:
        tables = [name for (name,) in kept.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: {row[1] for row in kept.execute(f"PRAGMA table_info({table})")} for table in tables}
    assert columns == {table: set(known) for table, known in THREADS.items()}


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        with pytest.raises(errors.BadRequest, match="no backup"):
            restored(source, tmp_path / "new")
    with pytest.raises(errors.NotFound):
        restored(tmp_path / "nothing", tmp_path / "new")
    assert not (tmp_path / "new").exists()


async def test_no_backup_goes_into_the_data_folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(data)
    (tmp_path / "file").symlink_to(data / "index" / STORE)
    (tmp_path / "twin").hardlink_to(data / "threads.sqlite")
    (data / "out").symlink_to(tmp_path / "outside")
    monkeypatch.chdir(data / "index")
    inside = ("documents.sqlite3", "b.zip", "../threads.sqlite", "../out")
    others = [tmp_path / "link" / "b.zip", tmp_path / "file", tmp_path / "twin", data / "index" / "index" / "b.zip"]
    for target in [*map(Path, inside), *others]:
        with pytest.raises(errors.BadRequest, match="outside the data folder"):
            backup(data, target, replace=True)
    monkeypatch.chdir(tmp_path)
    assert await found(data) == ["手册"]
    assert threads(data) == ["t1"]


def test_no_backup_takes_the_place_of_a_device(data: Path) -> None:
    with pytest.raises(errors.BadRequest, match="regular file"):
        backup(data, Path("/dev/null"), replace=True)
    assert Path("/dev/null").is_char_device()


def test_a_folder_that_is_not_there_is_said_without_a_name_of_ours(data: Path, tmp_path: Path) -> None:
    with pytest.raises(errors.BadRequest, match="no such folder"):
        backup(data, tmp_path / "none" / "b.zip")


async def test_an_index_on_another_disk_takes_no_backup_either(data: Path, tmp_path: Path) -> None:
    (data / "index").rename(tmp_path / "disk")
    (data / "index").symlink_to(tmp_path / "disk")
    with pytest.raises(errors.BadRequest, match="outside the data folder"):
        backup(data, tmp_path / "disk" / STORE, replace=True)
    backup(data, tmp_path / "b.zip")
    assert await found(data) == ["手册"]


async def test_no_backup_is_made_of_a_damaged_folder(data: Path, tmp_path: Path) -> None:
    for statement in ("UPDATE versions SET given = '{'", "DROP TABLE terms", "DELETE FROM counters"):
        with closing(sqlite3.connect(data / "index" / STORE)) as store, store:
            store.execute(statement)
        with pytest.raises(StoreFailed, match="gapseek restore") as refused:
            backup(data, tmp_path / "b.zip")
        assert refused.value.reason == "store_damaged"
    (data / "index" / STORE).write_bytes(b"")
    with pytest.raises(errors.Conflict, match="gapseek restore"):
        backup(data, tmp_path / "b.zip")
    assert names(tmp_path) == {"data"}


class Cut(Exception):
    """Stands for the death of the process."""


@pytest.mark.parametrize("step", range(9))
async def test_a_swap_that_is_cut_off_is_finished_by_the_next_owner(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    backup(data, tmp_path / "b.zip")
    index = await Index.open(data / "index", HashEmbedder())
    await index.add([NewDocument("later", "录像，后来。")], ME)
    await index.close()
    with cut_at(monkeypatch, step), pytest.raises(Cut):
        restored(tmp_path / "b.zip", data, replace=True)
    with DataFolder.acquire(data):
        assert names(data) == {"index", "threads.sqlite", "owner.json"}
    assert await found(data) == ["手册"]
    assert threads(data) == ["t1"]


@contextmanager
def cut_at(monkeypatch: pytest.MonkeyPatch, step: int) -> Iterator[None]:
    """Within the block the n-th change that `finish_swap` makes to the disk raises instead."""
    steps = iter(range(step + 1))

    def once(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*args: Any, **more: Any) -> Any:
            if next(steps, None) == step:
                raise Cut
            return change(*args, **more)

        return changed

    def finishing(folder: Path) -> None:
        with monkeypatch.context() as within:
            for owner, name in ((Path, "unlink"), (Path, "replace"), (Path, "touch"), (shutil, "rmtree")):
                within.setattr(owner, name, once(getattr(owner, name)))
            swap.finish_swap(folder)

    with monkeypatch.context() as patched:
        patched.setattr("corpus.restore.finish_swap", finishing)
        yield


def file_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
