"""The prompts: whether those of the deployment can be used, and what is unwise in them."""

from __future__ import annotations

import asyncio
from typing import Final

from context.doctor.findings import Finding
from errors import BadRequest
from graph.prompt_sets import open_prompts, unwise
from settings import Settings

FOLDER: Final = "GAPSEEK_PROMPTS__FOLDER"
HOW: Final = "prompts that `gapseek prompts check` finds good"


async def look_at_prompts(settings: Settings) -> Finding:
    """Off the event loop: they are files."""
    return await asyncio.to_thread(_prompts, settings)


def _prompts(settings: Settings) -> Finding:
    try:
        sets = open_prompts(settings).all()
    except BadRequest as error:
        return Finding("fail", error.sentence, FOLDER, HOW)
    if said := [sentence for one in sets.values() for sentence in unwise(one)]:
        return Finding("warn", " ".join(said), FOLDER, HOW)
    own = sum(len(one.own) for one in sets.values())
    return Finding("ok", f"{own} prompts of your own can be used." if own else "The built-in prompts serve.")
