"""What is too old or too many goes; what runs, waits or went on stays; and the file keeps nothing of it."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base.id import uuid6

from context.retrieval import Principal
from graph.build import build
from graph.checkpoints import open_saver
from graph.freed import give_back
from graph.run_log import run_log
from graph.saved import place_at
from runs.ask import Ask, ask
from runs.engine import Engine
from runs.retention import HOUR_S, Keeping, tidy, tidy_hourly
from runs.stream import answered
from runs.threads import DELETION, delete
from tests.fakes.service import ALICE, BOB, engine_over, scripted

QUESTION = "How many days of paid leave?"
DAY = 86_400


@asynccontextmanager
async def engine_on(path: Path, **more: Any) -> AsyncIterator[Engine]:
    """As `engine_over`, on the saver of a deployment."""
    async with open_saver(path) as saver, engine_over(**more) as engine:
        yield replace(engine, saver=saver, graph=build(saver))


async def asked(engine: Engine, who: Principal = ALICE, **more: Any) -> str:
    return str((await answered(ask(engine, who, Ask(QUESTION, **more))))["thread_id"])


def threads_in(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {row[0] for row in db.execute("SELECT thread_id FROM checkpoints UNION SELECT thread_id FROM writes")}


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def test_a_moment_stands_among_the_ids_of_its_time() -> None:
    before = place_at(time.time() - 1)
    assert before < str(uuid6()) < place_at(time.time() + 1)


async def test_what_had_its_last_step_long_ago_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_on(path) as engine:
        thread_id = await asked(engine)
        assert await tidy(engine, Keeping(days=2), time.time() + DAY) == []
        assert await tidy(engine, Keeping(days=2), time.time() + 3 * DAY) == [thread_id]
    assert threads_in(path) == set()


async def test_of_each_tenant_the_newest_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_on(path) as engine:
        theirs = await asked(engine, BOB)
        first, second, third = [await asked(engine) for _ in range(3)]
        await asked(engine, thread_id=first)
        assert await tidy(engine, Keeping(threads=2), time.time()) == [second]
    assert threads_in(path) == {theirs, first, third}


async def test_what_waits_for_a_person_or_runs_stays(tmp_path: Path) -> None:
    async with engine_on(tmp_path / "threads.sqlite", reasoner=scripted(score=0.1), handoff="on") as engine:
        waiting = await asked(engine)
        running, idle = await asked(engine, handoff=False), await asked(engine, handoff=False)
        with engine.locks.hold(running, "a run"):
            assert await tidy(engine, Keeping(days=1), time.time() + 2 * DAY) == [idle]
    assert threads_in(tmp_path / "threads.sqlite") == {waiting, running}


async def test_a_thread_that_goes_on_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_on(path) as engine:
        thread_id = await asked(engine)
        drop = engine.locks.running

        def asked_again(name: str) -> str | None:
            with closing(sqlite3.connect(path)) as db, db:
                db.execute("UPDATE checkpoints SET checkpoint_id = 'f' || substr(checkpoint_id, 2)")
            return drop(name)

        monkeypatch.setattr(engine.locks, "running", asked_again)
        assert await tidy(engine, Keeping(days=1), time.time() + 2 * DAY) == []
    assert threads_in(path) == {thread_id}


async def test_deleting_leaves_no_byte_of_the_thread_and_shrinks_the_file(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_on(path) as engine:
        stays = await asked(engine)
        await give_back(engine.saver)
        before = path.stat().st_size
        many = [await asked(engine) for _ in range(8)]
        assert all(name.encode() in bytes_of(path) for name in many)
        with closing(sqlite3.connect(path)) as db:
            values = [row[0] for row in db.execute("SELECT value FROM writes WHERE thread_id = ?", (many[0],))]
        marks = [value for value in values if len(value) > 60]
        assert marks
        assert all(mark[:40] in bytes_of(path) for mark in marks)
        for thread_id in many:
            await delete(engine, ALICE, thread_id)
            assert await run_log(engine.saver).open_run(thread_id) is None
        left = bytes_of(path)
        with closing(sqlite3.connect(path)) as db:
            kept = b"".join(row[0] for row in db.execute("SELECT value FROM writes"))
        assert not any(name.encode() in left for name in (*many, DELETION))
        assert not any(mark[:40] in left for mark in marks if mark[:40] not in kept)
        assert stays.encode() in left
    assert path.stat().st_size <= before * 1.5


async def test_a_file_of_before_shrinks_too(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA auto_vacuum = NONE")
        db.execute("CREATE TABLE filler (text)")
        db.execute("INSERT INTO filler VALUES (?)", ("x" * 500_000,))
        db.commit()
        db.execute("DELETE FROM filler")
        db.execute("DROP TABLE filler")
        db.commit()
    async with engine_on(path) as engine:
        await asked(engine)
        await tidy(engine, Keeping(days=1), time.time() + 2 * DAY)
    assert path.stat().st_size < 100_000


async def test_a_pass_that_fails_is_told_and_the_next_one_tries_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, slept, forgotten = tmp_path / "threads.sqlite", list[float](), list[str]()
    now = time.time() + 2 * DAY

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 2:
            raise asyncio.CancelledError
        db.rollback()

    async with engine_on(path) as engine:
        thread_id = await asked(engine)
        await engine.saver.conn.execute("PRAGMA busy_timeout = 1")  # type: ignore[attr-defined]  # SQLite's saver
        with closing(sqlite3.connect(path)) as db, caplog.at_level(logging.INFO, "gapseek"):
            db.execute("BEGIN IMMEDIATE")
            with pytest.raises(asyncio.CancelledError):
                await tidy_hourly(engine, Keeping(days=1), forgotten.append, lambda: now, sleep)
    assert (slept, forgotten) == ([HOUR_S, HOUR_S], [thread_id])
    assert [record.message for record in caplog.records] == [
        "Threads that are no longer kept could not be deleted: store_locked",
        "1 threads were deleted that are no longer kept",
    ]
