"""A question that waits for a person survives `kill -9`, of the process that asked and of one that was replying."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from runs.handoff import PersonSays, take_reply
from runs.listing import listed
from runs.threads import current
from tests.fakes.service import ALICE, engine_over, scripted

ROOT = Path(__file__).parents[2]
ASK = """
import asyncio, os, signal, sys
from runs.ask import Ask, ask
from runs.stream import answered
from tests.fakes.service import ALICE, engine_over, scripted

async def main():
    async with engine_over(scripted(score=0.1), path=sys.argv[1]) as engine:
        await answered(ask(engine, ALICE, Ask("How many days?", handoff=True)))
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""
REPLY = """
import asyncio, os, signal, sys
from runs.handoff import PersonSays, take_reply
from tests.fakes.service import ALICE, engine_over, scripted

uses = iter(range(1, 100))

def clock():
    if next(uses) == 3:  # once the words are taken up
        os.kill(os.getpid(), signal.SIGKILL)
    return 2_000.0

async def main():
    async with engine_over(scripted(score=0.1), path=sys.argv[1], clock=clock) as engine:
        await take_reply(engine, ALICE, sys.argv[2], PersonSays("One."))

asyncio.run(main())
"""


def killed(program: str, *arguments: str) -> None:
    ended = subprocess.run([sys.executable, "-c", program, *arguments], cwd=ROOT, timeout=120)
    assert ended.returncode == -signal.SIGKILL


async def test_the_wait_goes_on_after_either_was_killed_and_one_reply_stands(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    killed(ASK, str(path))
    async with engine_over(scripted(score=0.1), path=path) as engine:
        page = await listed(engine, ALICE, status="awaiting_human", after=None, limit=9)
    (waiting,) = page["threads"]
    killed(REPLY, str(path), waiting["thread_id"])
    async with engine_over(scripted(score=0.1), path=path) as engine:
        assert (await current(engine, ALICE, waiting["thread_id"]))["status"] == "awaiting_human"
        said = await take_reply(engine, ALICE, waiting["thread_id"], PersonSays("Two."))
        assert said["stop_reason"] == "human"
        assert said["answer"] in ("One. [1]", "Two. [1]")  # the first, if it came to the disk in time
        assert not (await listed(engine, ALICE, status="awaiting_human", after=None, limit=9))["threads"]
