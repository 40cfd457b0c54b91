"""The draft of one run: a task beside the graph, on a part of the ask's budget that is kept for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any

from context.reasoning import Usage
from context.run import Context
from errors import GapseekError
from graph.drafting import Draft, Drafted, share
from policy.account import NOTHING
from policy.draft import verdict
from runs.events import Event
from state import Dials, Mode, RAGState

log = logging.getLogger("gapseek")


class Drafting:
    """Implements `context.Beside`. Its share of the budget is held from the start, so that no node spends it too."""

    def __init__(self, context: Context, dials: Dials, mode: Mode, tell: Callable[[Event], None]) -> None:
        self._context = context
        self._tell = tell
        self._share = share(context, dials, mode)
        self._draft: Draft | None = None
        self._task: asyncio.Task[None] | None = None
        self._over = self._share is None
        self._told: Drafted | None = None

    @property
    def calls(self) -> int:
        return 0 if self._over else (self._share or NOTHING).model_calls

    @property
    def tokens(self) -> int:
        return 0 if self._over else (self._share or NOTHING).tokens

    def begin(self, state: RAGState) -> None:
        """Start with what was found, once; nothing happens when there is no budget for it, or the answer has begun."""
        if not self._over and self._task is None:
            self._draft = Draft(state, self._context)
            self._task = asyncio.create_task(self._write(self._draft))

    async def end(self) -> tuple[Usage, ...]:
        """Cancel what is not finished. Raises what broke the draft, if that was neither the time nor the reasoner."""
        if self._over:
            return ()
        self._over = True
        if self._task is None or self._draft is None:
            return ()
        self._task.cancel()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.result()
        return self._draft.usage

    def outcome(self, reply: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the reply makes of the draft; None when none was told."""
        if self._told is None:
            return None
        rests_on, cited = ({c["chunk_id"] for c in told} for told in (self._told.citations, reply["citations"]))
        disputed = bool(reply["conflicts"])
        became = verdict(self._told.text, rests_on, reply["answer"], cited, reply["status"], disputed=disputed)
        return {"text": self._told.text, "verdict": became}

    async def _write(self, draft: Draft) -> None:
        try:
            drafted = await draft.write()
        except GapseekError as error:  # the answer may do without what the draft could not do without
            log.warning("a draft was given up: %s", error.reason)
            return
        if drafted is not None:
            self._told = drafted
            self._tell(Event("draft", {"text": drafted.text, "citations": list(drafted.citations), "verified": False}))
