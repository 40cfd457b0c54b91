"""One model behind an OpenAI-compatible endpoint: asked for a form or for a stream of text, within a time limit.

Retries live here and nowhere else. Nothing is sent to any address but the endpoint's.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote, urlsplit

import openai
from langchain_core.exceptions import ModelRefusalError
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langsmith import tracing_context
from pydantic import SecretStr

from context import Usage
from reasoner.faults import check_whole, translated
from reasoner.schemas import Form
from reasoner.thinking import AnswerOnly, answer_only
from text.token_estimate import estimate_tokens

F = TypeVar("F", bound=Form)

OPENAI: Final = "https://api.openai.com/v1"
NO_KEY: Final = SecretStr("none")
"""Sent where no key is set: without one, the client would send the environment's OPENAI_API_KEY to any address."""

QUIET: Final[RunnableConfig] = {"callbacks": []}
"""Keeps the graph's callbacks away: they would turn a decision into a stream and show it beside the answer."""


@dataclass(frozen=True)
class ChatEndpoint:
    """Where a chat model is and how long one call to it may take; `base_url` None means OpenAI's own."""

    model: str
    base_url: str | None = None
    api_key: SecretStr | None = None
    timeout_s: float = 30.0


class ChatModel:
    """A chat model at temperature 0. It holds connections: close it with `aclose` on the loop that used it."""

    def __init__(self, endpoint: ChatEndpoint, *, max_retries: int) -> None:
        self._endpoint = endpoint
        # A redirect could carry prompts to another host.
        self._http = openai.DefaultAsyncHttpxClient(timeout=endpoint.timeout_s, follow_redirects=False)
        self._chat = _client(endpoint, self._http, max_retries)

    async def fill_in(self, form: type[F], messages: Sequence[BaseMessage], timeout_s: float) -> tuple[F, Usage]:
        """The model's reply in the form asked for. Raises `errors.Unavailable` or `errors.BadRequest`."""
        asked = self._chat.with_structured_output(form.json_form(), method="json_schema", include_raw=True, strict=True)
        with translated(), tracing_context(enabled=False):
            async with asyncio.timeout(self._limit(timeout_s)):
                reply = cast(dict[str, Any], await asked.ainvoke(list(messages), QUIET))
            if isinstance(reply["parsing_error"], ModelRefusalError):
                raise reply["parsing_error"]
            text = reply["raw"].text
            filled = form.model_validate_json(answer_only(text))
        return filled, self._usage(messages, text, reply["raw"].usage_metadata)

    async def stream(self, messages: Sequence[BaseMessage], timeout_s: float) -> AsyncGenerator[str | Usage, None]:
        """Pieces of text as they come, without a leading thought, then the usage. Raises as `fill_in` does."""
        ends_at = asyncio.get_running_loop().time() + self._limit(timeout_s)
        answer, received = AnswerOnly(), _Received()
        chunks = cast(AsyncGenerator[AIMessageChunk, None], self._chat.astream(list(messages), QUIET))
        async with aclosing(chunks):
            while (chunk := await _next(chunks, ends_at)) is not None:
                received.add(chunk)
                if piece := answer.feed(chunk.text):
                    yield piece
        check_whole(received.finish_reason, answer_only(received.text))
        if piece := answer.end():
            yield piece
        yield self._usage(messages, received.text, received.usage)

    async def aclose(self) -> None:
        await self._http.aclose()

    def _limit(self, timeout_s: float) -> float:
        return min(self._endpoint.timeout_s, timeout_s)

    def _usage(self, messages: Sequence[BaseMessage], text: str, reported: UsageMetadata | None) -> Usage:
        if reported and reported["input_tokens"] > 0:
            return Usage(self._endpoint.model, reported["input_tokens"], reported["output_tokens"], estimated=False)
        sent = sum(estimate_tokens(message.text) for message in messages)
        return Usage(self._endpoint.model, sent, estimate_tokens(text), estimated=True)


@dataclass
class _Received:
    """What a stream has brought so far."""

    pieces: list[str] = field(default_factory=list)
    usage: UsageMetadata | None = None
    finish_reason: str | None = None

    def add(self, chunk: AIMessageChunk) -> None:
        self.pieces.append(chunk.text)
        self.usage = chunk.usage_metadata or self.usage
        self.finish_reason = chunk.response_metadata.get("finish_reason") or self.finish_reason

    @property
    def text(self) -> str:
        return "".join(self.pieces)


async def _next(chunks: AsyncGenerator[AIMessageChunk, None], ends_at: float) -> AIMessageChunk | None:
    with translated(), tracing_context(enabled=False):
        async with asyncio.timeout_at(ends_at):
            return await anext(chunks, None)


def _client(endpoint: ChatEndpoint, http: openai.DefaultAsyncHttpxClient, max_retries: int) -> ChatOpenAI:
    """Every setting that the client would otherwise take from the environment is given here."""
    address, headers = _without_credentials(endpoint.base_url or OPENAI)
    return ChatOpenAI(
        model=endpoint.model,
        base_url=address,
        api_key=endpoint.api_key or NO_KEY,
        default_headers=headers,
        temperature=0,
        timeout=endpoint.timeout_s,
        max_retries=max_retries,
        stream_usage=True,
        stream_chunk_timeout=None,
        use_responses_api=False,
        output_version="v0",
        cache=False,
        http_async_client=http,
        http_socket_options=(),
        openai_proxy=None,
    )


def _without_credentials(url: str) -> tuple[str, dict[str, str]]:
    """The address without its `user:password@`, which HTTP clients write into their logs, and the header instead."""
    parts = urlsplit(url)
    if parts.username is None:
        return url, {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return bare.geturl(), {"Authorization": "Basic " + b64encode(pair.encode()).decode()}
