"""What an ask takes of the disk (docs/debugging.md tells it)."""

import sqlite3
from contextlib import closing
from pathlib import Path

from graph.wiring import open_services
from runs.ask import Ask, ask
from runs.stream import answered
from server import engine_on
from settings import Settings
from tests.fakes.service import ALICE

SAMPLE = "电梯坏了，谁来付维修费？"
ASKS = 5
MOST = 60_000


def size(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path.stat().st_size


async def test_an_ask_of_the_sample_takes_less_than_60_kb(tmp_path: Path) -> None:
    async with open_services(Settings.model_construct(data=tmp_path)) as services:
        engine, path = engine_on(services), tmp_path / "threads.sqlite"
        before = size(path)
        for _ in range(ASKS):
            said = await answered(ask(engine, ALICE, Ask(SAMPLE)))
            assert said["citations"]
        assert 0 < (size(path) - before) / ASKS < MOST
