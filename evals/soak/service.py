"""The server of a soak: `gapseek serve` in a process of its own, to be killed and started again over one folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final

from errors import Unavailable

START_S: Final = 600.0
"""Longest wait for a server that starts, in seconds: a loaded machine takes a while."""
STOP_S: Final = 60.0
"""Longest wait for one that was told to stop; its own grace is shorter."""
_LIMITS: Final = {"GAPSEEK_REQUESTS_PER_MINUTE": "1000000", "GAPSEEK_MAX_OPEN_REQUESTS": "500"}
"""One address sends what are many callers' requests."""
_ROOT: Final = Path(__file__).parents[2]
_ANSWERS: Final = re.compile(r"answers at (http://\S+?);")


@dataclass(frozen=True)
class Life:
    """One process of the server: where it answers, and which in the row of them it is."""

    number: int
    address: str
    pid: int


class Service:
    """One life at a time. `up` is set while it answers; `ended_by` holds the signal that ended each life."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.up = Event()
        self.ended_by: dict[int, signal.Signals] = {}
        self.wrong: list[str] = []
        """What went wrong with starts and ends, in sentences."""
        self._folder = folder
        self._life: Life | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def life(self) -> Life:
        """The life that is, or was the last."""
        if self._life is None:
            raise Unavailable("The server was never started.")
        return self._life

    def start(self) -> Life:
        """Begin the next life, and return once it answers. Raises `Unavailable` when it does not."""
        number = self._life.number + 1 if self._life else 0
        command = [sys.executable, "-m", "cli", "serve", "--port", "0", "--data", str(self.data)]
        log = self._folder / f"server-{number}.log"
        with log.open("wb") as written:
            self._process = subprocess.Popen(  # noqa: S603
                command, cwd=self._folder, env=_environment(), stdout=written, stderr=written
            )
        address = self._address(self._process, log)
        self._life = Life(number, address, self._process.pid)
        self.up.set()
        return self._life

    def end(self, by: signal.Signals) -> float:
        """End the life, and return how many seconds that took."""
        self.up.clear()
        process, life = self._running(), self.life
        self.ended_by[life.number] = by
        begun = time.monotonic()
        process.send_signal(by)
        try:
            status = process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"Life {life.number} did not end within {STOP_S:.0f} s of {by.name}.")
            process.kill()
            status = process.wait()
        if by == signal.SIGTERM and status != 0:
            self.wrong.append(f"Life {life.number} ended with status {status} after SIGTERM.")
        return time.monotonic() - begun

    def close(self) -> None:
        """Leave no process behind, whatever happened."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def check_alive(self) -> None:
        """Raises `Unavailable` for a process that ended by itself."""
        if self._running().poll() is not None:
            raise Unavailable("The server ended by itself; its log tells why.")

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise Unavailable("The server was never started.")
        return self._process

    def _address(self, process: subprocess.Popen[bytes], log: Path) -> str:
        patience = time.monotonic() + START_S
        while time.monotonic() < patience and process.poll() is None:
            if found := _ANSWERS.search(log.read_text("utf-8")):
                return found[1]
            time.sleep(0.05)
        raise Unavailable(f"The server did not start: {log.read_text('utf-8').strip() or 'it said nothing'}")


def _environment() -> dict[str, str]:
    """Without this machine's own settings of Gapseek, so that what is measured are the defaults of this code."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GAPSEEK_")}
    return plain | _LIMITS | {"PYTHONPATH": str(_ROOT)}
