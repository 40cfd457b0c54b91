"""One asker of a soak: threads one after the other, some left in the middle, some come back to."""

from __future__ import annotations

import time
from random import Random
from threading import Event
from typing import Final

from evals.soak.asking import ask, client
from evals.soak.facts import Question, question
from evals.soak.service import Service
from evals.soak.turn import Plan, Turn

_TURNS: Final = (2, 8)
"""How many questions a thread gets: fewer than it carries along, so that all of its answers are told."""
BUSY: Final = "thread_busy"
BUSY_S: Final = 60.0
"""A thread that is busy for longer with a run that nobody reads, in seconds, is stuck: an ask may take 45."""
_PAUSE_S: Final = 0.2
_LEAVES: Final = 0.3
"""Share of questions whose asker leaves."""


class Stream:
    """Asks, in a thread of its own, until told to end. `turns` holds every question in order, those not taken too."""

    def __init__(self, number: int, seed: int, service: Service, ending: Event) -> None:
        self.turns: list[Turn] = []
        self._chance = Random(f"{seed}/{number}")  # noqa: S311
        self._service = service
        self._ending = ending

    def run(self) -> None:
        """One thread after the other."""
        with client() as self._http:
            while not self._ending.is_set():
                self._thread()

    def _thread(self) -> None:
        thread_id: str | None = None
        before: Turn | None = None
        for _ in range(self._chance.randint(*_TURNS)):
            before = self._taken(thread_id, before)
            if before is None or before.stuck:
                return
            thread_id = before.thread_id

    def _taken(self, thread_id: str | None, before: Turn | None) -> Turn | None:
        """The turn that the server took, or may have taken; None when told to end, or where the thread takes none."""
        busy_since = time.monotonic()
        while not self._ending.is_set():
            turn = self._asked(thread_id, before)
            if turn.refused == BUSY and time.monotonic() - busy_since > BUSY_S:
                turn.stuck = True
            if turn.stuck or turn.accepted or turn.left:
                return turn
            if turn.refused == "not_found":
                return None
            time.sleep(_PAUSE_S)
        return None

    def _asked(self, thread_id: str | None, before: Turn | None) -> Turn:
        self._service.up.wait()
        life = self._service.life
        turn = Turn(question(self._chance, leant_on(before)), plan(self._chance), thread_id, life.number)
        self.turns.append(turn)
        ask(self._http, life.address, turn)
        return turn


def leant_on(before: Turn | None) -> Question | None:
    """The question that the next one may lean on: one that names its device, and was answered."""
    if before is None or before.question.leans or before.reply is None or before.reply["status"] != "answered":
        return None
    return before.question


def plan(chance: Random) -> Plan:
    """How the next question is asked."""
    streamed = chance.random() < 0.75
    leaves = chance.random() < _LEAVES
    return Plan(
        streamed=streamed,
        on_disconnect="continue" if chance.random() < 0.5 else "cancel",
        leaves_after=chance.randint(1, 14) if leaves else None,
        comes_back=chance.random() < 0.6,
    )
