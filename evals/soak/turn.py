"""One question of a soak and what its asker saw of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from evals.soak.facts import Question

OnDisconnect = Literal["cancel", "continue"]


@dataclass(frozen=True)
class Plan:
    """How a question is asked: as a stream or for one JSON, when its asker leaves, and whether to come back for more.

    `leaves_after` counts events of a stream and tenths of a second of a JSON ask; None stays to the end.
    """

    streamed: bool
    on_disconnect: OnDisconnect
    leaves_after: int | None
    comes_back: bool


@dataclass
class Turn:
    """`accepted` says that its `run` event, or its JSON, came; `broken` that the server ended before it was over,
    `stuck` that nothing came any more. `refused` is the problem's code when the server did not take it; `seen` are the
    ids of events, in their order.
    """

    question: Question
    plan: Plan
    thread_id: str | None
    life: int
    run_id: str | None = None
    seen: list[int] = field(default_factory=list)
    text: str = ""
    reply: dict[str, Any] | None = None
    done: dict[str, Any] | None = None
    left: bool = False
    came_back: bool = False
    broken: bool = False
    stuck: bool = False
    refused: str | None = None

    @property
    def accepted(self) -> bool:
        return self.run_id is not None

    @property
    def over(self) -> bool:
        """Whether its end was seen."""
        return self.reply is not None or self.done is not None

    def take(self, kind: str, number: int, data: dict[str, Any]) -> None:
        """One event."""
        self.seen.append(number)
        if kind == "run":
            self.thread_id, self.run_id = data["thread_id"], data["run_id"]
        elif kind == "token":
            self.text += data["text"]
        elif kind == "answer":
            self.reply = data
        elif kind == "done":
            self.done = data

    def answered(self, reply: dict[str, Any]) -> None:
        """The JSON that an ask was for."""
        self.thread_id, self.run_id = reply["thread_id"], reply["run_id"]
        self.text, self.reply = reply["answer"], reply
