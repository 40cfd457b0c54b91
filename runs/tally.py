"""What one run came to, in numbers and fixed words: for metrics and the log, without a word of question or answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from errors import GapseekError
from policy.budget import nothing_spent
from runs.events import Event
from state import Spent

STOPPED: Final = ("cancelled", "cancelled")


@dataclass
class Tally:
    """Counts one run from its events; what its thread had spent `before` is not its own.

    `lanes` are lane, whether it came from the cache, and whether it failed; `error` is the code of what it failed with.
    """

    tenant: str
    mode: str
    before: Spent = field(default_factory=nothing_spent)
    status: str = "failed"
    stop_reason: str | None = None
    error: str | None = None
    seconds: float = 0.0
    rounds: int = 0
    nodes: list[tuple[str, float]] = field(default_factory=list)
    lanes: list[tuple[str, bool, bool]] = field(default_factory=list)
    _spent: Mapping[str, Any] | None = None
    _began: float = field(default_factory=time.monotonic)

    def take(self, event: Event) -> None:
        """Count what an event tells."""
        if event.type == "answer":
            self.status, self.stop_reason = event.data["status"], event.data["stop_reason"]
        elif event.type == "node" and event.data["phase"] == "end":
            self._take_node(event.data)

    def failed(self, error: Exception) -> None:
        """The run ended with this."""
        self.error = error.reason if isinstance(error, GapseekError) else "internal"

    def stopped(self) -> None:
        """Somebody stopped it, or left."""
        if self.status == "failed":
            self.status, self.stop_reason = STOPPED

    def over(self) -> None:
        """It took until now."""
        self.seconds = time.monotonic() - self._began

    def spent(self, name: str) -> int:
        """How many searches, model_calls or tool_calls it made."""
        now, then = self._counts()
        return max(0, int(now[name]) - int(then[name]))

    def tokens(self, source: str, direction: str) -> int:
        """Tokens by source (reported, estimated) and direction (input, output)."""
        now, then = self._counts()
        name = f"{direction}_tokens"
        return max(0, int((now[source] or {}).get(name, 0)) - int((then[source] or {}).get(name, 0)))

    @property
    def cost(self) -> float:
        """What the calls of models with a price came to, in the currency of the settings."""
        now, then = self._counts()
        return max(0.0, _cost(now) - _cost(then))

    def _counts(self) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """What the thread has spent by now, and before this run."""
        return self._spent or self.before, self.before

    def _take_node(self, told: Mapping[str, Any]) -> None:
        self.nodes.append((told["name"], told["duration_ms"] / 1000))
        self.rounds += told["name"] == "evaluate"
        changed = told["changed"]
        self._spent = changed.get("spent", self._spent)
        self.lanes += [(lane["lane"], lane["cached"], lane["error"] is not None) for lane in changed.get("lanes", ())]


Watch = Callable[[Tally], None]
"""Told of every run when it is over."""


def nobody(tally: Tally) -> None:
    """Where nobody counts."""


def _cost(spent: Mapping[str, Any]) -> float:
    return sum(model["cost"] or 0.0 for model in spent.get("models", {}).values())
