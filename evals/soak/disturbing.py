"""Kills the server of a soak at random times and starts it again."""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Event
from typing import Final

from evals.soak.service import Service

_KILL: Final = 0.6
"""Share of ends by SIGKILL; the others are told to stop."""


@dataclass
class Disturber:
    """Ends lives about every so many seconds until told to end, and leaves a server that answers."""

    service: Service
    every_s: float
    chance: Random
    ends: Counter[str] = field(default_factory=Counter)
    stopped_in_s: list[float] = field(default_factory=list)
    """How long each life took to end that was told to."""

    def run(self, ending: Event) -> None:
        """Raises `Unavailable` when the server does not start again."""
        while not ending.wait(self.every_s * self.chance.uniform(0.5, 1.5)):
            self.service.check_alive()
            by = signal.SIGKILL if self.chance.random() < _KILL else signal.SIGTERM
            seconds = self.service.end(by)
            self.ends[by.name] += 1
            if by == signal.SIGTERM:
                self.stopped_in_s.append(seconds)
            self.service.start()
