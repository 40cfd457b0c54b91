"""Turns of a soak, and what a server keeps of them, made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from evals.soak.facts import question
from evals.soak.kept import Kept
from evals.soak.turn import Plan, Turn

THREAD = "t" * 32
STAYS = Plan(streamed=True, on_disconnect="cancel", leaves_after=None, comes_back=False)


def turn(seed: int, *, plan: Plan = STAYS, ended: bool = True, life: int = 0) -> Turn:
    """A turn that was accepted, and answered unless told otherwise."""
    asked = question(Random(seed))  # noqa: S311
    made = Turn(asked, plan, THREAD, life)
    made.take("run", 1, {"thread_id": THREAD, "run_id": f"{seed:032x}"})
    if ended:
        answer = answer_to(made)
        made.take("token", 2, {"text": answer})
        made.take("answer", 3, {"answer": answer, "status": "answered"})
        made.take("done", 4, {"status": "answered"})
    return made


def answer_to(asked: Turn) -> str:
    return f"设备 QX-{asked.question.device:04d} 的：{asked.question.figure}[1]。"


def kept(turns: Sequence[Turn], *, without: Sequence[Turn] = (), **thread: Any) -> Kept:
    """All of these turns, and the answers of those that ended; `without` were not kept at all."""
    last = turn(999)
    there = [one for one in turns if one not in without]
    answers = {one.question.text: [answer_to(one)] for one in [*there, last] if one.over}
    told: dict[str, Any] = {
        "question": there[-1].question.text if there else None,
        "running": None,
        "unfinished": False,
        "status": "answered",
    }
    return Kept(told | thread, last, [one.question.text for one in [*there, last]], answers)
