"""What the server tells of the threads of a soak once nothing runs any more, and what its files hold."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx

from corpus.places import PLACES, RUNS, THREADS
from evals.soak.asking import ask, client
from evals.soak.facts import question
from evals.soak.service import Life
from evals.soak.turn import Plan, Turn

_AT_ONCE: Final = 4
_LAST: Final = Plan(streamed=False, on_disconnect="cancel", leaves_after=None, comes_back=False)


@dataclass(frozen=True)
class Kept:
    """A thread as `GET /threads/{id}` told it, a last question that it was asked then, and after that the questions
    that its steps begin with, in their order, and the answers by question.

    `thread` is None when the server knows of no such thread.
    """

    thread: Mapping[str, Any] | None
    last: Turn | None = None
    begun: Sequence[str] = ()
    answers: Mapping[str, Sequence[str]] | None = None

    @property
    def times(self) -> Counter[str]:
        """How often each question was begun."""
        return Counter(self.begun)


def read(life: Life, thread_ids: Sequence[str], seed: int, tick: Callable[[int], None]) -> dict[str, Kept]:
    """What the server keeps of each thread."""
    with client() as http, ThreadPoolExecutor(_AT_ONCE) as pool:
        looks = {name: pool.submit(_look, http, life, name, Random(f"{seed}/{name}")) for name in thread_ids}  # noqa: S311
        found = {}
        for done, (name, look) in enumerate(looks.items(), 1):
            found[name] = look.result()
            tick(done)
    return found


def _look(http: httpx.Client, life: Life, thread_id: str, chance: Random) -> Kept:
    address = f"{life.address}/threads/{thread_id}"
    told = http.get(address)
    if told.status_code != httpx.codes.OK:
        return Kept(None)
    last = Turn(question(chance), _LAST, thread_id, life.number)
    ask(http, life.address, last)
    steps = http.get(f"{address}/history").raise_for_status().json()["steps"]
    answers: dict[str, list[str]] = {}
    for turn in http.get(address).raise_for_status().json()["turns"]:
        answers.setdefault(turn["question"], []).append(turn["answer"])
    begun = [step["changed"]["question"] for step in steps if step["node"] == "start"]
    return Kept(told.json(), last, begun, answers)


def unsound(data: Path) -> dict[str, str]:
    """Which SQLite file of a data folder that nobody uses fails its own check, and how."""
    found = {name: _check(data / place) for name, place in PLACES.items()}
    return {name: said for name, said in found.items() if said != "ok"}


def held(data: Path) -> set[str]:
    """Threads whose last run has no end in the file of threads: it was killed, and nobody asked there since."""
    with closing(sqlite3.connect(data / PLACES[THREADS])) as file:
        return {str(row[0]) for row in file.execute(f"SELECT thread_id FROM {RUNS} WHERE ended IS NULL")}  # noqa: S608


def _check(file: Path) -> str:
    with closing(sqlite3.connect(file)) as opened:
        return str(opened.execute("PRAGMA integrity_check").fetchone()[0])
