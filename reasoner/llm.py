"""The reasoner on chat models: a small one for route, rewrite and grade, a large one for the answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from copy import copy
from dataclasses import replace

from context.reasoning import (
    AnswerRequest,
    GradeRequest,
    Judgement,
    ProposedQuery,
    Reasoned,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    Usage,
)
from context.tools import Point, SummaryRequest, ToolChoice, ToolRequest
from errors import BadRequest
from reasoner import choosing
from reasoner.asking import generate_messages, rewrite_messages, route_messages
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.chat_model import ChatModel
from reasoner.judging import Judging
from reasoner.lessening import Lessening, less_to_answer, less_to_rewrite, less_to_route
from reasoner.lines import Lines
from reasoner.prompt_set import PromptSet, built_in
from reasoner.reading import rewrite_of, route_of
from reasoner.schemas import RewriteAgainForm, RewriteForm, RouteForm
from reasoner.set_aside import SetAside

UNREADABLE = "the model's reply could not be used: looked up to be safe"


class LLMReasoner:
    """Implements `context.Reasoner`. Raises `errors.Unavailable` when the endpoint fails, `errors.BadRequest` when it
    refuses the content or the content is too long. Close it with `aclose`.

    Where no reply of a model can be used, a decision falls back to what is safe: look up, search for the question
    itself, judge nothing as supported.
    """

    def __init__(
        self,
        chat: ChatEndpoint,
        small: ChatEndpoint | None = None,
        lines: Lines | None = None,
        prompts: PromptSet | None = None,
    ) -> None:
        small = small or chat
        self._lines = lines or Lines()
        self._large = ChatModel(chat, self._lines)
        self._small = self._large if small == chat else ChatModel(small, self._lines)
        self._aside = SetAside()
        self._models = chat.model if small.model == chat.model else f"{small.model}+{chat.model}"
        self.calls_models = True
        self._use(prompts or built_in())

    def with_prompts(self, prompts: PromptSet) -> LLMReasoner:
        """The same models by other prompts, over the same connections: the one that was made first is closed."""
        other = copy(self)
        other._use(prompts)
        return other

    def _use(self, prompts: PromptSet) -> None:
        self._prompts = prompts
        self.name = f"llm:{self._models}:prompts-{prompts.fingerprint}"

    @property
    def down(self) -> str | None:
        """The sentence of an endpoint that is left alone after failures in a row."""
        return self._lines.down

    @property
    def waiting(self) -> int:
        """Calls that wait until their endpoint has a place for them."""
        return self._lines.waiting

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        request = replace(request, history=self._aside.turns(request.history))
        bill = self._small.bill(request.max_calls, request.timeout_s)

        async def ask(asked: RouteRequest) -> RouteForm | None:
            return await self._small.fill_in(RouteForm, route_messages(asked, self._prompts), bill, asked.language)

        with bill.told():
            form = await Lessening(self._aside, bill).decide(less_to_route(request), ask)
        route = route_of(form, request) if form else Route(True, UNREADABLE, request.question)
        return Reasoned(route, tuple(bill.usage))

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        kept = self._aside
        request = replace(request, history=kept.turns(request.history), found=kept.passages(request.found))
        schema: type[RewriteForm | RewriteAgainForm] = RewriteAgainForm if request.sub_questions else RewriteForm
        bill = self._small.bill(request.max_calls, request.timeout_s)

        async def ask(asked: RewriteRequest) -> RewriteForm | RewriteAgainForm | None:
            return await self._small.fill_in(schema, rewrite_messages(asked, self._prompts), bill, asked.language)

        less = less_to_rewrite(request)
        with bill.told():
            form: RewriteForm | RewriteAgainForm | None = await Lessening(self._aside, bill).decide(less, ask)
        return Reasoned(rewrite_of(form, request) if form else _plain_rewrite(request), tuple(bill.usage))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        bill = self._small.bill(request.max_calls, request.timeout_s)
        judging = Judging(self._small, self._aside, request, bill, self._prompts)
        with bill.told():
            return Reasoned(await judging.judge(), tuple(bill.usage), judging.repairs)

    async def choose_tool(self, request: ToolRequest) -> Reasoned[ToolChoice]:
        """The large model's: what it chooses decides what there is to answer from."""
        return await choosing.choose(self._large, self._aside, self._prompts, request)

    async def summarize(self, request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        return await choosing.summarize(self._small, self._aside, self._prompts, request)

    async def answer(self, request: AnswerRequest) -> AsyncGenerator[str | Usage, None]:
        request = replace(request, history=self._aside.turns(request.history))
        bill = self._large.bill(request.max_calls, request.timeout_s)
        begun = False
        while True:
            try:
                with bill.told():
                    async with aclosing(self._large.stream(generate_messages(request, self._prompts), bill)) as pieces:
                        async for piece in pieces:
                            begun = True
                            yield piece
                return
            except BadRequest as error:
                less = less_to_answer(request, error)
                if begun or not bill.left or less is None:
                    raise
                request = less

    async def aclose(self) -> None:
        """Close the connections, on the loop that used them."""
        await self._small.aclose()
        await self._large.aclose()


def _plain_rewrite(request: RewriteRequest) -> Rewrite:
    """The question itself as its one item and query; later, what is missing as queries."""
    if not request.sub_questions:
        return Rewrite(((request.question, True),), (ProposedQuery(request.question, 1),))
    place = {item["id"]: number for number, item in enumerate(request.sub_questions, 1)}
    return Rewrite((), tuple(ProposedQuery(gap["text"], place.get(gap["sub_question_id"])) for gap in request.gaps))
