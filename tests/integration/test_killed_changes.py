"""`kill -9` just before and just after every commit of every change: what was stored is of before or of after it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from context.retrieval import Principal, SearchRequest
from corpus.correction import Correction
from corpus.documents import NewDocument
from corpus.index import Index
from corpus.ingest.chunks import Sizes
from corpus.kept import Kept
from corpus.reindex import reindex
from corpus.store import database
from tests.fakes.embedder import HashEmbedder

ROOT = Path(__file__).parents[2]
ME = Principal()
SHORT = Kept(sizes=Sizes(12, 0))
OLD = [NewDocument(f"{n}", f"第一条　电梯 {n} 号的维修费用。\n\n第二条　食堂 {n} 号的早餐。") for n in range(3)]
NEW = [NewDocument(f"{n}", f"第一条　电梯 {n} 号的维修费用。\n\n第二条　车位 {n} 号的租金。") for n in range(5)]

Told = Callable[[int, str], None]
State = dict[str, Any]
"""Per document its title, metadata and groups, and per query what is found."""


async def on_index(folder: Path, change: Callable[[Index], Awaitable[Any]], kept: Kept | None = None) -> Any:
    index = await Index.open(folder, HashEmbedder(), kept=kept or Kept())
    try:
        return await change(index)
    finally:
        await index.close()


async def add(folder: Path) -> None:
    await on_index(folder, lambda index: index.add(NEW, ME))


async def delete(folder: Path) -> None:
    await on_index(folder, lambda index: index.delete("1", ME))


async def correct(folder: Path) -> None:
    correction = Correction(set={"year": 2024}, groups=frozenset({"hr"}))
    await on_index(folder, lambda index: index.correct("1", ME, correction))


async def rebuild(folder: Path) -> None:
    await reindex(folder, HashEmbedder("other", 16), SHORT, lambda part, done, total: None)


async def state(index: Index) -> State:
    found = {}
    for query in ("电梯", "早餐", "租金"):
        hits = (await index.search(SearchRequest((query,), ME, lanes=("keyword",), top_k=100))).docs
        near = (await index.search(SearchRequest((query,), ME, lanes=("vector",), top_k=100))).docs
        assert len({hit["chunk_id"] for hit in near}) == len(near) > 0
        texts = await index.read([hit["chunk_id"] for hit in hits], ME)
        found[query] = sorted((passage.doc_id, passage.text) for passage in texts.values())
        found[f"near {query}"] = sorted((hit["doc_id"], hit["chunk_id"]) for hit in near)
    held = {d.doc_id: (d.metadata, d.groups, d.chunks) for d in index.catalogue.visible(ME)}
    return {"held": held, "found": found}


async def settled(folder: Path) -> State:
    """What the index answers with, under the settings that it was built with."""
    rebuilt = "other" in look(folder, "SELECT value FROM fingerprints WHERE part = 'embedder'")[0][0]
    embedder, kept = (HashEmbedder("other", 16), SHORT) if rebuilt else (HashEmbedder(), Kept())
    index = await Index.open(folder, embedder, kept=kept)
    assert embedder.embedded == []
    try:
        return await state(index)
    finally:
        await index.close()


@pytest.mark.parametrize("change", [add, delete, correct, rebuild], ids=lambda change: str(change.__name__))
async def test_a_change_is_whole_or_not_there_and_can_be_made_again(
    tmp_path: Path, change: Callable[[Path], Coroutine[Any, Any, None]]
) -> None:
    killed = await asyncio.to_thread(kill_everywhere, tmp_path, change.__name__)
    assert len(killed) >= 2
    before, after = await settled(tmp_path / "before"), await settled(tmp_path / "after")
    assert before != after
    reached = []
    for folder in killed:
        reached.append(await settled(folder))
        assert reached[-1] in (before, after), folder.name
        if reached[-1] == before:
            await change(folder)
        assert await settled(folder) == after
        check_consistent(folder)
    assert (reached[0], reached[-1]) == (before, after)


def check_consistent(folder: Path) -> None:
    assert look(folder, "PRAGMA integrity_check") == [("ok",)]
    assert look(folder, "PRAGMA foreign_key_check") == []
    for table in ("vectors", "terms"):
        unused = f"SELECT key FROM {table} WHERE key NOT IN (SELECT key FROM chunks)"  # noqa: S608
        assert look(folder, unused) == [], table
    bare = "SELECT key FROM chunks JOIN documents ON version_id = current WHERE key NOT IN (SELECT key FROM vectors)"
    assert look(folder, bare) == []


def look(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "documents.sqlite3")) as connection:
        return connection.execute(sql).fetchall()


def kill_everywhere(folder: Path, change: str) -> list[Path]:
    """Folders in which the change was killed, in the order of the statement at which; made by a process of its own."""
    code = "import sys; from tests.integration.test_killed_changes import main; main(*sys.argv[1:])"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(folder), change], cwd=ROOT, check=True)
    return sorted(folder.glob("killed-*"))


def main(folder: str, name: str) -> None:
    """Only children do any work, so that this process has no threads when it forks."""
    change = {"add": add, "delete": delete, "correct": correct, "rebuild": rebuild}[name]
    place = Path(folder)
    before, after = place / "before", place / "after"

    async def prepare() -> None:
        await on_index(before, lambda index: index.add(OLD, ME))

    in_child(prepare)
    shutil.copytree(before, after)
    seen = place / "statements"
    in_child(partial(change, after), lambda number, sql: append(seen, f"{number} {' '.join(sql.split())}\n"))
    statements = seen.read_text("utf-8").splitlines()
    commits = [number for number, line in enumerate(statements, start=1) if line.endswith(" COMMIT")]
    for number in sorted({at for commit in commits for at in (commit, commit + 1)} & set(range(len(statements) + 1))):
        there = place / f"killed-{number:05}"
        shutil.copytree(before, there)
        in_child(partial(change, there), partial(kill_at, number))


def in_child(work: Callable[[], Coroutine[Any, Any, None]], told: Told = lambda number, sql: None) -> None:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    trace(told)
    asyncio.run(work())
    os._exit(0)


def trace(told: Callable[[int, str], None]) -> None:
    """From now on every statement of a store is told, numbered, before it runs."""
    connect, numbers = database._connect, iter(range(1, 1_000_000))

    def traced(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(lambda sql: told(next(numbers), sql))
        return connection

    database._connect = traced


def kill_at(fatal: int, number: int, sql: str) -> None:
    if number == fatal:
        os.kill(os.getpid(), signal.SIGKILL)


def append(file: Path, line: str) -> None:
    with file.open("a", encoding="utf-8") as written:
        written.write(line)
