"""Reasoners over the fake endpoint, closed again after each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
from pydantic import SecretStr

from reasoner.chat_endpoint import ChatEndpoint
from reasoner.llm import LLMReasoner
from tests.fakes.endpoint import FakeEndpoint
from tests.unit.reasoner import samples

MARKER = "sk-marker-4711"
"""A key that must never show up in an error or a log."""

Open = Callable[..., LLMReasoner]


async def acquaint(reasoner: LLMReasoner, endpoint: FakeEndpoint) -> None:
    """Let the reasoner see that its model does not think aloud: until then an answer is held back to its end."""
    endpoint.script("answer", "Known.")
    assert [piece async for piece in reasoner.answer(samples.direct_answer())]
    endpoint.calls.clear()


@pytest.fixture
async def open_reasoner() -> AsyncIterator[Open]:
    """`LLMReasoner`, closed at the end of the test."""
    async with AsyncExitStack() as stack:

        def opened(chat: ChatEndpoint, small: ChatEndpoint | None = None) -> LLMReasoner:
            reasoner = LLMReasoner(chat, small)
            stack.push_async_callback(reasoner.aclose)
            return reasoner

        yield opened


@pytest.fixture
def chat_endpoint(endpoint: FakeEndpoint) -> ChatEndpoint:
    return ChatEndpoint("large-model", endpoint.url, SecretStr(MARKER), timeout_s=5.0)


@pytest.fixture
def reasoner(open_reasoner: Open, chat_endpoint: ChatEndpoint) -> LLMReasoner:
    return open_reasoner(chat_endpoint)
