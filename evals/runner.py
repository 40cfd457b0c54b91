"""Asks what a plan asks and no record answers yet, a few at once, and keeps each record as soon as its ask ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from context.retrieval import Principal
from context.run import Context
from errors import GapseekError
from evals.knowledge import Tick, indexed, opened
from evals.modes import Position
from evals.plan import Plan, Planned
from evals.record import Records
from evals.trial import Trials
from graph.build import build
from graph.wiring import Services
from runs.dials import lowered
from runs.engine import Engine
from settings import Settings


async def run(plan: Plan, settings: Settings, data: Path, kept: Records, tick: Tick) -> None:
    """Ask everything that has no record yet. Raises `BadRequest` for a budget or a document that cannot be used, and
    `Misconfigured` when no ask can go well."""
    for batch in plan.batches():
        waiting = [ask for ask in batch if not kept.answered(ask.key)]
        if not waiting:
            continue
        # Anew for each position and repeat: what the search cache holds of another would be free.
        async with opened(settings, data) as services:
            if plan.asked.documents:
                await indexed(services.index, plan.asked.documents, tick)
            asked_of = engine(services, plan, plan.position(batch[0].position))
            asked_of.context_for(plan.asker)  # what the position cannot do here is told before anything is asked
            trials = Trials(asked_of, services.index, plan, kept.code)
            await _all(waiting, trials, kept, _Count(_part(plan, batch[0]), len(batch), len(waiting), tick), plan)


async def _all(waiting: Iterable[Planned], trials: Trials, kept: Records, count: _Count, plan: Plan) -> None:
    left = iter(waiting)

    async def work() -> None:
        for ask in left:
            kept.add(await trials.ask(ask))
            count.one()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(plan.at_once):
                group.create_task(work())
    except* GapseekError as wrong:
        first = wrong.exceptions[0]
    else:
        return
    raise first


def engine(services: Services, plan: Plan, position: Position) -> Engine:
    """The deployment's own, with the dials of the position, and threads that nobody keeps."""
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
    settings = services.settings

    def given(principal: Principal) -> Context:
        deployed = services.context_for(principal)
        return position.given(replace(deployed, dials=lowered(deployed.dials, plan.budget)))

    return Engine(
        graph=build(saver),
        saver=saver,
        context_for=given,
        mode=position.mode,
        durability="exit",
        handoff="never",
        max_question_chars=settings.max_question_chars,
        search_timeout_s=settings.search_timeout_s,
    )


def _part(plan: Plan, first: Planned) -> str:
    """What a bar is called."""
    again = f", {first.repeat + 1} of {plan.repeat}" if plan.repeat > 1 else ""
    return f"{plan.name}, {first.position}{again}"


class _Count:
    """How many of a batch have their record."""

    def __init__(self, part: str, total: int, waiting: int, tick: Tick) -> None:
        self._part, self._total, self._tick = part, total, tick
        self._done = total - waiting
        tick(part, self._done, total)

    def one(self) -> None:
        self._done += 1
        self._tick(self._part, self._done, self._total)
