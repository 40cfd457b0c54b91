"""Has the answers of an eval judged, a few at once, and says how far the judge agrees with the labels."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from errors import BadRequest, Unavailable
from evals import verdicts
from evals.judge import Judge, ModelJudge, can_be_judged
from evals.kappa import kappa
from evals.knowledge import Tick
from evals.plan import Plan
from evals.record import Record, Records
from graph.chat import chat_endpoint
from settings import Settings

JUDGING: Final = "Judging"

_log = logging.getLogger(__name__)


def check_judge(settings: Settings) -> None:
    """Raises `BadRequest` where there is no model to judge."""
    if not settings.chat.configured:
        raise BadRequest("--judge needs a chat model: set GAPSEEK_CHAT__MODEL.")


async def judged(plan: Plan, settings: Settings, kept: Records, tick: Tick) -> None:
    """Have the configured chat model judge what it has not judged yet in these words."""
    async with aclosing(ModelJudge(chat_endpoint(settings.chat, "GAPSEEK_CHAT"))) as judge:
        await judge_all(judge, kept.of(ask.key for batch in plan.batches() for ask in batch), kept, tick, plan.at_once)


async def judge_all(judge: Judge, records: Sequence[Record], kept: Records, tick: Tick, at_once: int) -> None:
    """Keep every verdict at once. What the judge refuses or cannot be asked about stays without one."""
    waiting = [record for record in records if can_be_judged(record) and record.judge != judge.name]
    left, done = iter(waiting), 0

    async def work() -> None:
        nonlocal done
        for record in left:
            await _one(judge, record, kept)
            done += 1
            tick(JUDGING, done, len(waiting))

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(work())


async def _one(judge: Judge, record: Record, kept: Records) -> None:
    try:
        verdict = await judge.judge(record)
    except (BadRequest, Unavailable) as error:
        _log.warning("question %s is not judged: %s", record.id, error.sentence)
        return
    if verdict is not None:
        kept.add(replace(record, judge=judge.name, judged_right=verdict.right, judge_reason=verdict.reason))


def agreement(records: Sequence[Record]) -> str | None:
    """A sentence on each judge beside the labels, by Cohen's kappa; None where nothing was judged."""
    told = []
    for name in sorted({record.judge for record in records if record.judge}):
        of = [record for record in records if record.judge == name]
        labels = [verdicts.right(record) for record in of]
        said = [bool(record.judged_right) for record in of]
        same = sum(one == other for one, other in zip(labels, said, strict=True))
        beyond = kappa(labels, said)
        shown = "undefined, as one of them says the same of all" if beyond is None else f"{beyond:.2f}"
        told.append(f"Judge {name}: agrees with the labels on {same} of {len(of)} answers, Cohen's kappa {shown}.")
    return " ".join(told) or None
