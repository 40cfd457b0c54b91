"""The reasoner on chat models: a small one for route, rewrite and grade, a large one for the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from context import (
    AnswerRequest,
    GradeRequest,
    Judgement,
    Reasoned,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    Usage,
)
from reasoner.asking import evaluate_messages, generate_messages, rewrite_messages, route_messages
from reasoner.chat_model import ChatEndpoint, ChatModel
from reasoner.reading import judgements_of, repairs_of, rewrite_of, route_of
from reasoner.schemas import GradesForm, RewriteAgainForm, RewriteForm, RouteForm
from reasoner.templates import fingerprint


class LLMReasoner:
    """Implements `context.Reasoner`. Raises `errors.Unavailable` when the endpoint fails, `errors.BadRequest` when it
    refuses the content or the content is too long. Close it with `aclose`."""

    def __init__(self, chat: ChatEndpoint, small: ChatEndpoint | None = None, *, max_retries: int = 1) -> None:
        small = small or chat
        self._large = ChatModel(chat, max_retries=max_retries)
        self._small = self._large if small == chat else ChatModel(small, max_retries=max_retries)
        models = chat.model if small.model == chat.model else f"{small.model}+{chat.model}"
        self.calls_models = True
        self.name = f"llm:{models}:prompts-{fingerprint()}"

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        form, usage = await self._small.fill_in(RouteForm, route_messages(request), request.timeout_s)
        return Reasoned(route_of(form, request), (usage,))

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        schema: type[RewriteForm | RewriteAgainForm] = RewriteAgainForm if request.sub_questions else RewriteForm
        form, usage = await self._small.fill_in(schema, rewrite_messages(request), request.timeout_s)
        return Reasoned(rewrite_of(form, request), (usage,))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        form, usage = await self._small.fill_in(GradesForm, evaluate_messages(request), request.timeout_s)
        return Reasoned(judgements_of(form, request), (usage,), repairs_of(form, request))

    async def answer(self, request: AnswerRequest) -> AsyncGenerator[str | Usage, None]:
        async with aclosing(self._large.stream(generate_messages(request), request.timeout_s)) as pieces:
            async for piece in pieces:
                yield piece

    async def aclose(self) -> None:
        """Close the connections, on the loop that used them."""
        await self._small.aclose()
        await self._large.aclose()
