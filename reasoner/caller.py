"""Calls to one model: each within its time, a place on its line, and one layer of retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import httpx2
import openai
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import RunnableConfig
from langsmith import get_tracing_context, tracing_context

from endpoints.retries import retrying
from endpoints.signs import FORM_WORDS, said
from reasoner.adapting import adapted, may_be_stream_options, parameters
from reasoner.bill import Bill
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.client import chat_client, http_client
from reasoner.lines import Lines

T = TypeVar("T")

QUIET: Final[RunnableConfig] = {"callbacks": []}
"""Keeps the graph's callbacks away: they would turn a decision into a stream and show it beside the answer."""


@dataclass
class Opened:
    """A stream whose first piece has come, None for an empty one; its place is held until `held` is closed."""

    first: AIMessageChunk | None
    rest: AsyncGenerator[AIMessageChunk, None]
    held: AsyncExitStack


class Caller:
    """Raises what the vendor's client raises, `TimeoutError`, and `errors.Unavailable` while the endpoint rests."""

    def __init__(self, endpoint: ChatEndpoint, lines: Lines) -> None:
        self.endpoint = endpoint
        self.manners = lines.manners(endpoint)
        self._line = lines.line(endpoint)
        self._http = http_client(endpoint)
        self._chat = chat_client(endpoint, self._http)

    def bill(self, max_calls: int, timeout_s: float) -> Bill:
        """A new bill for so many calls in so many seconds."""
        return Bill(self.endpoint, self.manners, max_calls, timeout_s)

    async def whole(self, messages: Sequence[BaseMessage], form: Mapping[str, Any], bill: Bill) -> AIMessage:
        """One reply, asked for with these parts of a body."""

        async def call() -> AIMessage:
            body = parameters(self.endpoint, self.manners) | dict(form)
            async with self._line.place(), self._limited():
                with self._watched():
                    return await self._chat.ainvoke(list(messages), QUIET, extra_body=body)

        try:
            return await self._adapting(call, bill)
        except (TimeoutError, openai.APIConnectionError, httpx2.TransportError):
            bill.carried_out(messages, "", None)
            raise

    async def opened(self, messages: Sequence[BaseMessage], bill: Bill) -> Opened:
        """A stream that has begun: until then it is tried again, from then on never."""

        async def call() -> Opened:
            body, asks = parameters(self.endpoint, self.manners), self._asks_for_usage(bill)
            if asks:
                body = {"stream_options": {"include_usage": True}} | body
            async with AsyncExitStack() as held:
                await held.enter_async_context(self._line.place())
                chunks = self._chat.astream(list(messages), QUIET, extra_body=body)
                rest = cast(AsyncGenerator[AIMessageChunk, None], chunks)
                await held.enter_async_context(aclosing(rest))
                async with self._limited():
                    with self._watched():
                        first = await anext(rest, None)
                self.manners.stream_options = asks or self.manners.stream_options
                return Opened(first, rest, held.pop_all())

        try:
            return await self._opening(call, bill)
        except (TimeoutError, openai.APIConnectionError, httpx2.TransportError):
            bill.carried_out(messages, "", None)
            raise

    async def next(self, opened: Opened, ends_at: float) -> AIMessageChunk | None:
        """The next piece of a stream, None at its end."""
        async with asyncio.timeout_at(ends_at):
            with self._watched():
                return await anext(opened.rest, None)

    def outgrown(self, finish_reason: str | None) -> bool:
        """Give further replies more room after one that was cut; whether there was any to give."""
        larger = self.endpoint.larger_limit
        if finish_reason != "length" or self.manners.token_limit >= larger:
            return False
        self.manners.token_limit = larger
        return True

    async def aclose(self) -> None:
        await self._http.aclose()

    def _asks_for_usage(self, bill: Bill) -> bool:
        """Whether a stream is asked for its usage: to learn if it may be takes a second call."""
        return self.manners.stream_options or (self.manners.stream_options is None and bill.left > 1)

    async def _opening(self, call: Callable[[], Awaitable[Opened]], bill: Bill) -> Opened:
        """An endpoint may refuse `stream_options` without naming it; what else it meant the second try shows."""
        tells = self.manners.stream_options is None and self._asks_for_usage(bill)
        try:
            return await self._adapting(call, bill)
        except openai.APIStatusError as exc:
            learnt = self.manners.stream_options is not None
            if learnt or not tells or not bill.left or not may_be_stream_options(exc):
                raise
        self.manners.stream_options = False
        try:
            return await self._adapting(call, bill)
        except Exception:
            self.manners.stream_options = None
            raise

    async def _adapting(self, call: Callable[[], Awaitable[T]], bill: Bill) -> T:
        while True:
            try:
                async with asyncio.timeout_at(bill.ends_at):
                    return await retrying(call, self.endpoint.retries, lambda: bill.ends_at - _now())
            except openai.APIStatusError as exc:
                bill.turned_down()
                if not bill.left or not adapted(exc, self.manners, self.endpoint):
                    raise

    @asynccontextmanager
    async def _limited(self) -> AsyncIterator[None]:
        """An endpoint that hangs for as long as one call may take has failed; one that was given less has not, and
        waiting for a place is no part of it."""
        try:
            async with asyncio.timeout(self.endpoint.timeout_s) as limit:
                yield
        except TimeoutError:
            if limit.expired():
                self._line.failed()
            raise

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Tell the line how a call went; one that its caller gave up says nothing of the endpoint."""
        try:
            # Only a run that was told to is traced (runs/execute.py), never by the environment alone.
            with tracing_context(enabled=get_tracing_context()["enabled"] is True):
                yield
        except (openai.APIError, httpx2.TransportError) as exc:
            if _is_failure(exc):
                self._line.failed()
            else:
                self._line.answered()
            raise
        self._line.answered()


def _is_failure(exc: Exception) -> bool:
    if not isinstance(exc, openai.APIStatusError):
        return True
    return exc.status_code >= 500 and not FORM_WORDS.search(said(exc))


def _now() -> float:
    return asyncio.get_running_loop().time()
