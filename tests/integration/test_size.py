"""Case A6: what asks take of the disk (docs/debugging.md tells it): as much each time, and all of it comes back."""

import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from graph.wiring import open_services
from runs.ask import Ask, ask
from runs.engine import Engine
from runs.retention import Keeping, tidy
from runs.stream import answered
from runs.threads import delete
from server import engine_on
from settings import Settings
from tests.fakes.index import MemoryIndex
from tests.fakes.service import ALICE
from tests.unit.runs.test_retention import engine_on as scripted_engine_on

SAMPLE = "电梯坏了，谁来付维修费？"
ASKS = 5
MOST = 60_000
TURNS = 4
"""That a thread carries along in these tests, so that they need few."""
LATER_S = 2 * 86_400
RULES = MemoryIndex({f"rule-{number}": f"Rule {number} on leave. " * 20 for number in range(8)})


@asynccontextmanager
async def sampled(folder: Path, **changed: Any) -> AsyncIterator[Engine]:
    async with open_services(Settings.model_construct(data=folder, **changed)) as services:
        yield engine_on(services)


def size(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path.stat().st_size


def rows(path: Path) -> list[int]:
    """How many rows the two tables of LangGraph and ours of runs hold."""
    with closing(sqlite3.connect(path)) as db:
        tables = ("checkpoints", "writes", "gapseek_runs")
        return [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]  # noqa: S608  # constants


async def grown(engine: Engine, path: Path, question: str, lots: int, lot: int, *, one_thread: bool) -> list[int]:
    """Bytes an ask by lots of asks, in one thread or each in its own."""
    thread_id: str | None = None
    sizes = [size(path)]
    for _ in range(lots):
        for _ in range(lot):
            said = await answered(ask(engine, ALICE, Ask(question, thread_id=thread_id)))
            assert said["citations"]
            thread_id = said["thread_id"] if one_thread else None
        sizes.append(size(path))
    return [(after - before) // lot for before, after in pairwise(sizes)]


async def test_an_ask_of_the_sample_takes_less_than_60_kb(tmp_path: Path) -> None:
    async with sampled(tmp_path) as engine:
        (each,) = await grown(engine, tmp_path / "threads.sqlite", SAMPLE, 1, ASKS, one_thread=False)
    assert 0 < each < MOST


@pytest.mark.parametrize("one_thread", [True, False], ids=["one thread", "separate"])
async def test_the_file_grows_by_as_much_with_every_ask_and_shrinks_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: bool
) -> None:
    monkeypatch.setattr("state.MAX_TURNS", TURNS)
    path = tmp_path / "threads.sqlite"
    async with scripted_engine_on(path, retriever=RULES) as engine:
        await engine.saver.aget_tuple({"configurable": {"thread_id": "none"}})  # the file with its tables
        empty = size(path)
        each = await grown(engine, path, "Which rule is on leave?", 4, TURNS, one_thread=one_thread)
        assert max(each) < 1.2 * min(each)
        assert await tidy(engine, Keeping(days=1), time.time() + LATER_S)
        assert rows(path) == [0, 0, 0]
        assert size(path) <= 2 * empty


async def test_a_thread_that_is_deleted_has_no_row_left(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with scripted_engine_on(path) as engine:
        said = await answered(ask(engine, ALICE, Ask("How many days of paid leave?")))
        assert min(rows(path)) > 0
        await delete(engine, ALICE, said["thread_id"])
    assert rows(path) == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("one_thread", [True, False], ids=["one thread", "separate"])
async def test_two_hundred_asks(tmp_path: Path, one_thread: bool) -> None:
    """The case to the letter: 5 passages of up to 500 characters."""
    path = tmp_path / "threads.sqlite"
    async with sampled(tmp_path, top_k=5) as engine:
        each = await grown(engine, path, SAMPLE, 5, 40, one_thread=one_thread)
        full = size(path)
        await tidy(engine, Keeping(days=1), time.time() + LATER_S)
        print(f"bytes an ask, by 40: {each}; the file {full:,}, after retention {size(path):,}")  # noqa: T201
    assert max(each) < min(1.3 * min(each), MOST)
    assert size(path) < MOST
