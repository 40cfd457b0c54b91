"""`gapseek eval init`: a file of drafted questions to begin with."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from context.retrieval import Principal
from evals import knowledge
from evals.drafting import Draft, Drafter, check_target, drafted, written
from evals.drafting_model import ModelDrafter
from evals.drafting_rules import RuleDrafter
from evals.knowledge import Say, Tick
from graph.chat import chat_endpoint
from settings import Settings

DRAFTING: Final = "Drafting"


@dataclass(frozen=True)
class Begun:
    """What is to be drafted: so many questions, drawn by the seed, of what a member of the groups may see."""

    file: Path
    questions: int = 20
    seed: int = 0
    replace: bool = False
    groups: frozenset[str] = frozenset()


def begin(begun: Begun, settings: Settings, tick: Tick, say: Say) -> int:
    """Draft from a copy of the knowledge base into the file, whole or not at all, and return how many lines it has.

    Raises `Conflict` when the file exists, `NotFound` without a knowledge base, `BadRequest` when it says nothing.
    """
    check_target(begun.file, replace=begun.replace)
    with TemporaryDirectory(prefix="gapseek-eval-") as copy:
        asyncio.run(knowledge.copied(settings.data, Path(copy), say))
        drafts = asyncio.run(_drafts(begun, settings, Path(copy), tick))
    written(drafts, begun.file)
    return len(drafts)


async def _drafts(begun: Begun, settings: Settings, data: Path, tick: Tick) -> list[Draft]:
    async with AsyncExitStack() as stack:
        services = await stack.enter_async_context(knowledge.opened(settings, data))
        drafter = _drafter(settings, stack)
        told = partial(tick, DRAFTING)
        return await drafted(services.index, drafter, begun.questions, begun.seed, Principal(groups=begun.groups), told)


def _drafter(settings: Settings, stack: AsyncExitStack) -> Drafter:
    if not settings.chat.configured:
        return RuleDrafter()
    model = ModelDrafter(chat_endpoint(settings.chat, "GAPSEEK_CHAT"))
    stack.push_async_callback(model.aclose)
    return model
