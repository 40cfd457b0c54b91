"""One model behind an OpenAI-compatible endpoint: asked for a form or for a stream of text, within a time limit.

Nothing is sent to any address but the endpoint's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager
from typing import Final, TypeVar

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata

from context.reasoning import Usage
from errors import GapseekError, Unavailable
from reasoner.bill import Bill
from reasoner.caller import Caller, Opened
from reasoner.calling import Called, Calling
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.client import REASONING
from reasoner.faults import check_whole, translated
from reasoner.lines import Lines, Manners
from reasoner.schemas import Form
from reasoner.structured import Ladder
from reasoner.thinking import AnswerOnly
from state import Language

F = TypeVar("F", bound=Form)

CHARACTERS_A_TOKEN: Final = 8
"""An answer with more than so many for each token of its limit comes from an endpoint that does not know the limit."""

THOUGHT_ALOUD: Final = "The model wrote its thought into its answer."


class ChatModel:
    """It holds connections: close it with `aclose` on the loop that used it. A `caller` of one's own may be given."""

    def __init__(self, endpoint: ChatEndpoint, lines: Lines | None = None, caller: Caller | None = None) -> None:
        self._caller = caller or Caller(endpoint, lines or Lines())

    def bill(self, max_calls: int, timeout_s: float) -> Bill:
        """What one decision or answer may take: so many calls, in so many seconds."""
        return self._caller.bill(max_calls, timeout_s)

    async def fill_in(self, form: type[F], messages: Sequence[BaseMessage], bill: Bill, language: Language) -> F | None:
        """The model's reply in the form asked for, None when none could be used; the calls are on the bill.

        Raises `errors.Unavailable` or `errors.BadRequest`.
        """
        with self._translated():
            return await Ladder(self._caller, form, messages, language).climb_down(bill)

    async def call_tool(self, messages: Sequence[BaseMessage], bill: Bill, language: Language) -> Called | None:
        """The tool that the model calls and its arguments as written, None when no reply could be used.

        Raises as `fill_in` does.
        """
        with self._translated():
            return await Calling(self._caller, messages, language).call(bill)

    async def stream(self, messages: Sequence[BaseMessage], bill: Bill) -> AsyncGenerator[str | Usage, None]:
        """Pieces of text as they come, without thought, then the usage of every call on the bill.

        Raises as `fill_in` does, and last of all where the text is not whole.
        """
        heard = _Heard(self._caller.manners)
        bill.ends_at = min(bill.ends_at, _now() + self._caller.endpoint.timeout_s)
        with self._translated():
            opened = await self._caller.opened(messages, bill)
        async with opened.held:
            chunk = opened.first
            try:
                while chunk is not None:
                    if piece := heard.piece(chunk):
                        yield piece
                    chunk = await self._next(opened, heard, bill.ends_at)
            except GapseekError:
                bill.carried_out(messages, heard.text, heard.usage)
                raise
        if piece := heard.end():
            yield piece
        bill.carried_out(messages, heard.text, heard.usage)
        for usage in bill.usage:
            yield usage
        self._caller.outgrown(heard.finish_reason)
        check_whole(heard.finish_reason, heard.said)

    async def aclose(self) -> None:
        await self._caller.aclose()

    async def _next(self, opened: Opened, heard: _Heard, ends_at: float) -> AIMessageChunk | None:
        """The next piece; None at the end, and where an endpoint does not know the limit that it was given."""
        if len(heard.text) > self._caller.manners.token_limit * CHARACTERS_A_TOKEN:
            heard.finish_reason = "length"
            return None
        with self._translated():
            return await self._caller.next(opened, ends_at)

    def _translated(self) -> AbstractContextManager[None]:
        return translated(self._caller.endpoint.settings_prefix)


class _Heard:
    """What a stream has brought so far, and what of it is answer."""

    def __init__(self, manners: Manners) -> None:
        self._manners = manners
        self._answer = AnswerOnly(hold=manners.thinks_bare is not False)
        self._written: list[str] = []
        self.said = ""
        self.usage: UsageMetadata | None = None
        self.finish_reason: str | None = None

    @property
    def text(self) -> str:
        """All that the model wrote, its thought included."""
        return "".join(self._written)

    def piece(self, chunk: AIMessageChunk) -> str:
        """What may be passed on now. Raises `errors.Unavailable` when what was passed on turns out to be thought."""
        thought = chunk.additional_kwargs.get(REASONING)
        if thought:
            self._answer.let_go()
            self._manners.thinks_bare = False
        self._written += [thought or "", chunk.text]
        self.usage = chunk.usage_metadata or self.usage
        self.finish_reason = chunk.response_metadata.get("finish_reason") or self.finish_reason
        return self._passed_on(self._answer.feed(chunk.text))

    def end(self) -> str:
        """What was held back until the end; of a text that is not whole nobody can tell whether it is thought."""
        if self._answer.holding and self.finish_reason != "stop":
            return ""
        self._manners.thinks_bare = self._answer.bare or bool(self._manners.thinks_bare)
        return self._passed_on(self._answer.end())

    def _passed_on(self, piece: str) -> str:
        if self._answer.leaked:
            self._manners.thinks_bare = True
            raise Unavailable(THOUGHT_ALOUD, code="model_thought")
        self.said += piece
        return piece


def _now() -> float:
    return asyncio.get_running_loop().time()
