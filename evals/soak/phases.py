"""The phases of a soak: one with kills, after which every turn is looked for, one in which memory is watched."""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event
from typing import Final

import httpx

from evals.soak.asking import client
from evals.soak.disturbing import Disturber
from evals.soak.facts import documents
from evals.soak.kept import held, read, unsound
from evals.soak.memory import Sample, sampled
from evals.soak.service import START_S, Life, Service
from evals.soak.stream import Stream
from evals.soak.turn import Turn
from evals.soak.verdict import Fault, faults

Tick = Callable[[str, int, int], None]
_IDLE_S: Final = 90.0
"""Longest wait for runs that nobody reads to end, in seconds: an ask may take 45."""


@dataclass(frozen=True)
class Load:
    """How many streams ask, from which seed, and about how often the server is ended."""

    streams: int
    seed: int
    every_s: float


@dataclass(frozen=True)
class Disturbed:
    """What came of the phase with kills. `held` counts threads that took their last question and are held by a
    run all the same; `unsound` names files that fail their own check."""

    turns: list[Turn]
    threads: int
    ends: Counter[str]
    stopped_in_s: list[float]
    faults: list[Fault]
    wrong: list[str]
    held: int
    unsound: dict[str, str]


def disturbed(folder: Path, load: Load, seconds: float, tick: Tick) -> Disturbed:
    """Ask while the server is killed, then look for every turn. Raises `Unavailable` when the server does not start."""
    with _serving(folder) as service:
        disturber = Disturber(service, load.every_s, Random(f"{load.seed}/kills"))  # noqa: S311
        ending = Event()
        with ThreadPoolExecutor(1) as pool, _asking(service, load) as streams:
            killing = pool.submit(disturber.run, ending)
            try:
                _watch(seconds, lambda done: tick("asking, with kills", done, int(seconds)), killing.done)
            finally:
                ending.set()
            killing.result()
        turns = [turn for stream in streams for turn in stream.turns]
        threads = by_thread(turns)
        _idle(service.life)
        kept = read(service.life, list(threads), load.seed, lambda done: tick("looking for turns", done, len(threads)))
        found = [f for name, asked in threads.items() for f in faults(name, asked, kept[name], service.ended_by)]
        service.end(signal.SIGTERM)
        return Disturbed(
            turns,
            len(threads),
            disturber.ends,
            disturber.stopped_in_s,
            found,
            service.wrong,
            len(held(service.data) & threads.keys()),
            unsound(service.data),
        )


@dataclass(frozen=True)
class Watched:
    """What came of the phase in which memory is watched: samples from the end of the warm-up on."""

    warm_up_asks: int
    warm_up_s: float
    samples: list[Sample]


def watched(folder: Path, load: Load, warm_up: int, seconds: float, tick: Tick) -> Watched:
    """Ask so many questions, then go on and watch the memory for so many seconds."""
    with _serving(folder) as service, _asking(service, load) as streams:

        def asks() -> int:
            return sum(turn.accepted for stream in streams for turn in list(stream.turns))

        begun = time.monotonic()
        while (done := asks()) < warm_up:
            service.check_alive()
            tick("warming up", done, warm_up)
            time.sleep(1.0)
        took = time.monotonic() - begun
        pid, whole = service.life.pid, int(seconds)
        return Watched(done, took, sampled(pid, seconds, asks, lambda at: tick("watching memory", at, whole)))


def by_thread(turns: Sequence[Turn]) -> dict[str, list[Turn]]:
    """Turns by the thread that they were asked in; those that never learnt of one are left out."""
    found: dict[str, list[Turn]] = {}
    for turn in turns:
        if turn.thread_id is not None:
            found.setdefault(turn.thread_id, []).append(turn)
    return found


@contextmanager
def _serving(folder: Path) -> Iterator[Service]:
    """A server with the documents of the soak, ended with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    service = Service(folder)
    try:
        life = service.start()
        with client() as http:
            given = {"documents": documents()}
            http.post(f"{life.address}/documents", json=given, timeout=START_S).raise_for_status()
        yield service
    finally:
        service.close()


@contextmanager
def _asking(service: Service, load: Load) -> Iterator[list[Stream]]:
    """Streams that ask meanwhile, each in a thread of its own; what one raised is raised at the end."""
    ending = Event()
    streams = [Stream(number, load.seed, service, ending) for number in range(load.streams)]
    with ThreadPoolExecutor(load.streams, "stream") as pool:
        running = [pool.submit(stream.run) for stream in streams]
        try:
            yield streams
        finally:
            ending.set()
            service.up.set()
        wait(running)
    for one in running:
        one.result()


def _watch(seconds: float, tick: Callable[[int], None], ended: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while (now := time.monotonic() - begun) < seconds and not ended():
        tick(int(now))
        time.sleep(0.5)


def _idle(life: Life) -> None:
    """Return once no run works any more, or it has taken too long: the verdict then finds what is stuck."""
    patience = time.monotonic() + _IDLE_S
    with client() as http:
        while time.monotonic() < patience and _running(http, life):
            time.sleep(0.5)


def _running(http: httpx.Client, life: Life) -> bool:
    after: str | None = None
    while True:
        page = http.get(f"{life.address}/threads", params={"limit": 100} | ({"after": after} if after else {})).json()
        if any(thread["running"] for thread in page["threads"]):
            return True
        if (after := page["next"]) is None:
            return False
