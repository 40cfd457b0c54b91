"""Drafts by a chat model, each held to the words of its passage; where that fails, by rules."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict

from errors import BadRequest
from evals import prompts
from evals.drafting import Draft, Source
from evals.drafting_rules import RuleDrafter, cell
from reasoner.chat_endpoint import ChatEndpoint
from reasoner.chat_model import ChatModel
from reasoner.lines import Lines
from reasoner.schemas import Form
from text.quotes import locate

PROMPT: Final = "draft"
CALLS_AT_MOST: Final = 4
"""For one draft: one for each way in which a form can be asked for."""
BY_A_MODEL: Final = "Drafted by {}: check that the documents say so, and nothing else."


class DraftForm(Form):
    model_config = ConfigDict(title="draft")

    reason: str
    question: str
    quote: str
    answer: str
    points: list[str]


class ModelDrafter:
    """Implements `Drafter`. Close it with `aclose`."""

    def __init__(self, endpoint: ChatEndpoint, lines: Lines | None = None) -> None:
        self._model = ChatModel(endpoint, lines)
        self._timeout_s = endpoint.timeout_s
        self._comment = BY_A_MODEL.format(endpoint.model)
        self._rules = RuleDrafter()

    async def draft(self, source: Source) -> Draft | None:
        """Raises `Unavailable`. What the model refuses to read is drafted by rules, as is what it does not quote."""
        try:
            form = await self._form(source)
        except BadRequest:
            form = None
        if form is not None and not form.question.strip():
            return None
        if form is None or not form.quote.strip() or not locate(prompts.said(form.quote), source.text):
            return await self._rules.draft(source)
        return self._drafted(form, source)

    async def _form(self, source: Source) -> DraftForm | None:
        shown = {"title": source.title, "heading": source.heading, "passage": source.text}
        messages = prompts.load(PROMPT, source.language).fill(**{n: prompts.data(text) for n, text in shown.items()})
        bill = self._model.bill(CALLS_AT_MOST, self._timeout_s)
        return await self._model.fill_in(DraftForm, messages, bill, source.language)

    def _drafted(self, form: DraftForm, source: Source) -> Draft:
        quoted = [prompts.said(point) for point in form.points]
        points = tuple(cell(point) for point in quoted if point.strip() and locate(point, source.text))
        question = " ".join(form.question.split())
        return Draft(question, cell(form.answer), (source.doc_id,), points, "drafted", self._comment)

    async def aclose(self) -> None:
        await self._model.aclose()
