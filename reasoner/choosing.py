"""The agent's thinking on chat models: which tool next, and what a document says on a question."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from context.reasoning import Reasoned
from context.tools import Place, Point, SummaryRequest, ToolChoice, ToolRequest, ToolStep
from errors import BadRequest
from reasoner.bill import Bill
from reasoner.chat_model import ChatModel
from reasoner.prompt_set import PromptSet
from reasoner.set_aside import SetAside
from reasoner.tool_forms import SummaryForm
from reasoner.tool_messages import choose_messages, summarize_messages
from reasoner.tool_numbers import Numbers

_log = logging.getLogger(__name__)


async def choose(model: ChatModel, aside: SetAside, prompts: PromptSet, request: ToolRequest) -> Reasoned[ToolChoice]:
    """The model's choice. A prompt that is refused or too long is asked without the documents' text.

    Where no reply can be used: the question is searched if nothing was done yet, else the search is ended.
    """
    request = replace(request, steps=tuple(_allowed(step, aside) for step in request.steps))
    bill = model.bill(request.max_calls, request.timeout_s)
    with bill.told():
        called = await _called(model, prompts, request, bill)
    choice = Numbers(request).choice(*called) if called else _plain(request)
    return Reasoned(choice, tuple(bill.usage))


async def summarize(
    model: ChatModel, aside: SetAside, prompts: PromptSet, request: SummaryRequest
) -> Reasoned[tuple[Point, ...]]:
    """The quotes that the model picked; whether they stand in their passages is for others to check."""
    request = replace(request, passages=aside.passages(request.passages))
    bill = model.bill(request.max_calls, request.timeout_s)
    with bill.told():
        form = await model.fill_in(SummaryForm, summarize_messages(request, prompts), bill, request.language)
    return Reasoned(_points(form, request) if form else (), tuple(bill.usage))


async def _called(
    model: ChatModel, prompts: PromptSet, request: ToolRequest, bill: Bill
) -> tuple[str, dict[str, object]] | None:
    try:
        called = await model.call_tool(choose_messages(request, prompts), bill, request.language)
    except BadRequest as error:
        if not bill.left or not any(place.passage.text for step in request.steps for place in step.places):
            raise
        _log.warning("%s A prompt without the documents' text is tried.", error.sentence)
        bare = replace(request, steps=tuple(map(_bare, request.steps)))
        called = await model.call_tool(choose_messages(bare, prompts), bill, request.language)
    return (called[0], dict(called[1])) if called else None


def _plain(request: ToolRequest) -> ToolChoice:
    return ToolChoice("finish") if request.steps else ToolChoice("search", {"query": request.question[:400]})


def _allowed(step: ToolStep, aside: SetAside) -> ToolStep:
    """The step without the text of passages that a provider has refused."""
    kept = {passage.chunk_id for passage in aside.passages([place.passage for place in step.places])}
    return replace(step, places=tuple(p if p.passage.chunk_id in kept else _without_text(p) for p in step.places))


def _bare(step: ToolStep) -> ToolStep:
    return replace(step, places=tuple(map(_without_text, step.places)))


def _without_text(place: Place) -> Place:
    return replace(place, passage=replace(place.passage, text=""))


def _points(form: SummaryForm, request: SummaryRequest) -> tuple[Point, ...]:
    passages: Sequence[str] = [passage.chunk_id for passage in request.passages]
    known = [point for point in form.points if 1 <= point.passage <= len(passages) and point.quote.strip()]
    return tuple(Point(passages[point.passage - 1], point.quote.replace("&lt;", "<")) for point in known)
