"""A caller that remembers what it heard, so that an examination can look at what asks only read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage

from context.reasoning import Usage
from reasoner.bill import Bill
from reasoner.caller import Caller, Opened
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.lines import Line, Lines


class Overheard(Caller):
    """Calls as `Caller` does. A step begins with `purse`, which forgives what failed before."""

    def __init__(self, endpoint: ChatEndpoint) -> None:
        super().__init__(endpoint, Lines())
        self.replies: list[AIMessage] = []
        self.chunks: list[AIMessageChunk] = []
        self._bills: list[Bill] = []

    @property
    def spent(self) -> list[Usage]:
        """Every call so far."""
        return [usage for bill in self._bills for usage in bill.usage]

    def purse(self, max_calls: int) -> Bill:
        """A bill for one step. Failures of another step must not make the endpoint rest in this one."""
        self._line = Line(self.endpoint.concurrency, time.monotonic)
        self._bills.append(self.bill(max_calls, self.endpoint.timeout_s))
        return self._bills[-1]

    async def say(self, text: str, max_calls: int = 1, **more: Any) -> AIMessage:
        """One reply in plain text, its usage on a bill of its own."""
        messages, bill = [HumanMessage(text)], self.purse(max_calls)
        reply = await self.whole(messages, more, bill)
        bill.carried_out(messages, reply.text, reply.usage_metadata)
        return reply

    async def whole(self, messages: Sequence[BaseMessage], form: Mapping[str, Any], bill: Bill) -> AIMessage:
        reply = await super().whole(messages, form, bill)
        self.replies.append(reply)
        return reply

    async def opened(self, messages: Sequence[BaseMessage], bill: Bill) -> Opened:
        opened = await super().opened(messages, bill)
        self.chunks = [opened.first] if opened.first else []
        return opened

    async def next(self, opened: Opened, ends_at: float) -> AIMessageChunk | None:
        chunk = await super().next(opened, ends_at)
        if chunk is not None:
            self.chunks.append(chunk)
        return chunk

    async def listed(self) -> list[str]:
        """The models that the endpoint lists. Raises what the vendor's client raises, and `TimeoutError`."""
        async with asyncio.timeout(self.endpoint.timeout_s):
            page = await self._chat.root_async_client.models.list()
        return [str(model.id) for model in page.data]
