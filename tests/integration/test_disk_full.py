"""A disk without room: 503 with a sentence, nothing half-written, and all goes on once there is room."""

from __future__ import annotations

import asyncio
import errno
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import errors
from context.retrieval import Principal, SearchRequest, Vectors
from corpus.backup import backup
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.owner import DataFolder
from corpus.restore import restore
from corpus.store.faults import StoreFailed
from server import create_app
from settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.fakes.service import client_of, opening_index, scripted

ROOT = Path(__file__).parents[2]
ME = Principal()
TEXT = "\n\n".join(f"第{n}条　第 {n} 次检修的费用由业主大会承担。" for n in range(400))


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[Index]:
    index = await Index.open(tmp_path / "data" / "index", HashEmbedder())
    await index.add([NewDocument("old", "录像保存三十日。")], ME)
    yield index
    await index.close()


def allow(index: Index, pages: int | None) -> None:
    """Let the store's file grow by so many pages and no more; SQLite itself then says that the disk is full."""
    writer = index._database._writer
    held = int(writer.execute("PRAGMA page_count").fetchone()[0])
    writer.execute(f"PRAGMA max_page_count = {2**31 - 2 if pages is None else held + pages}")


async def found(index: Index, query: str) -> list[str]:
    return [hit["doc_id"] for hit in (await index.search(SearchRequest((query,), ME, lanes=("keyword",)))).docs]


@pytest.mark.parametrize("pages", [0, 30, 80])
async def test_an_ingest_without_room_leaves_nothing_and_can_be_made_again(index: Index, pages: int) -> None:
    generation = index.generation
    allow(index, pages)
    documents = [NewDocument("old", "录像保存九十日。"), NewDocument("large", TEXT)]
    with pytest.raises(StoreFailed, match="The disk is full") as failed:
        await index.add(documents, ME)
    assert (failed.value.status, failed.value.retryable, failed.value.reason) == (503, True, "disk_full")
    assert [document.doc_id for document in index.catalogue.visible(ME)] == ["old"]
    assert (await found(index, "三十日"), await found(index, "检修")) == (["old"], [])
    assert index.generation == generation
    allow(index, None)
    assert [outcome.result for outcome in await index.add(documents, ME)] == ["updated", "added"]
    assert set(await found(index, "检修")) == {"large"}


async def test_over_http_it_is_503_and_the_rest_of_the_service_answers(tmp_path: Path) -> None:
    opener = opening_index(tmp_path, lambda index: scripted(), HashEmbedder())
    app = create_app(Settings.model_construct(data=tmp_path), opener=opener)
    async with client_of(app) as client:
        allow(app.state.index, 0)
        refused = await client.post("/documents", json={"documents": [{"doc_id": "large", "text": TEXT}]})
        listed = await client.get("/documents")
    assert (refused.status_code, refused.json()["code"]) == (503, "disk_full")
    assert refused.json()["detail"].startswith("The disk is full")
    assert listed.json()["documents"] == []


async def test_a_lane_or_a_cache_without_room_is_a_full_disk_too(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(texts: Sequence[str]) -> Vectors:
        raise OSError(errno.ENOSPC, "No space left on device", "/somewhere/secret")

    monkeypatch.setattr(index._embedder, "passages", full)
    with pytest.raises(StoreFailed, match="The disk is full"):
        await index.add([NewDocument("new", "新的。")], ME)


LIMITED = """
import asyncio, resource, signal, sys
from pathlib import Path
from tests.integration.test_disk_full import *

async def main():
    index = await Index.open(Path(sys.argv[1]) / "index", None)
    await index.add([NewDocument("old", "录像保存三十日。")], ME)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    try:
        await index.add([NewDocument("large", TEXT)], ME)
    except errors.GapseekError as error:
        print(type(error).__name__, error.status, error.sentence)
    print(await found(index, "录像"), await found(index, "检修"))
    await index.close()

asyncio.run(main())
"""


async def test_a_file_that_may_not_grow_is_said_in_a_sentence(tmp_path: Path) -> None:
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", LIMITED, str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    said, answers = ran.stdout.splitlines()
    assert said.startswith("StoreFailed 503 The disk is full or fails: ")
    assert answers == "['old'] []"
    again = await Index.open(tmp_path / "index", None)
    assert [outcome.result for outcome in await again.add([NewDocument("large", TEXT)], ME)] == ["added"]
    await again.close()


def raising_full(*args: Any, **more: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_a_backup_or_restore_without_room_leaves_nothing(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup(tmp_path / "data", tmp_path / "b.zip")
    before = names(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", raising_full)
        with pytest.raises(errors.Unavailable, match="The disk is full"):
            backup(tmp_path / "data", tmp_path / "c.zip")
        with pytest.raises(errors.Unavailable, match="The disk is full"), DataFolder.acquire(tmp_path / "new"):
            restore(tmp_path / "b.zip", tmp_path / "new")
    assert names(tmp_path) == before


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
