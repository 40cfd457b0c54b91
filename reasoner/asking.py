"""Requests of the nodes as messages for a chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from langchain_core.messages import BaseMessage

from context.reasoning import AnswerRequest, GradeRequest, RewriteRequest, RouteRequest
from reasoner import blocks
from reasoner.prompt_set import PromptSet
from state import Language

FIELDS: Final[Mapping[str, Mapping[Language, str]]] = {
    "title": {"zh": "文档的标题", "en": "the document's title"},
    "year": {"zh": "文档所属的年份", "en": "the year that the document is of"},
    "kind": {"zh": "文种，如办法、合同、通知", "en": "what kind of document it is, such as policy or contract"},
    "place": {"zh": "文档适用的省、市、区", "en": "the place that the document holds for"},
    "document_number": {"zh": "文号", "en": "the number under which it was issued"},
    "effective_from": {"zh": "开始施行的日期", "en": "the first day on which it holds"},
    "effective_to": {"zh": "有效期的最后一天", "en": "the last day on which it holds"},
}
"""What the fields of an extraction mean, in the words of the prompt."""


def route_messages(request: RouteRequest, prompts: PromptSet) -> list[BaseMessage]:
    return prompts.get("route", request.language).fill(
        history=blocks.history(request.history), question=blocks.data(request.question)
    )


def rewrite_messages(request: RewriteRequest, prompts: PromptSet) -> list[BaseMessage]:
    """The first round asks for a checklist; a later one shows it, with what is missing and what was tried."""
    asked = {"history": blocks.history(request.history), "question": blocks.data(request.question)}
    if not request.sub_questions:
        return prompts.get("rewrite", request.language, "first round").fill(**asked)
    return prompts.get("rewrite", request.language, "later round").fill(
        **asked,
        checklist=blocks.checklist(request.sub_questions),
        gaps=blocks.gaps(request.gaps, request.sub_questions),
        tried=blocks.tried(request.tried, request.sub_questions),
        conflicts=blocks.sides(request.conflicts, request.sub_questions),
        found=blocks.found(request.found),
    )


def evaluate_messages(request: GradeRequest, prompts: PromptSet) -> list[BaseMessage]:
    return prompts.get("evaluate", request.language).fill(
        question=blocks.data(request.question),
        checklist=blocks.checklist(request.sub_questions),
        passages=blocks.passages(request.passages),
    )


def generate_messages(request: AnswerRequest, prompts: PromptSet) -> list[BaseMessage]:
    """Without sources this is a direct reply, which cites nothing."""
    asked = {"history": blocks.history(request.history), "question": blocks.data(request.question)}
    if not request.sources:
        return prompts.get("generate", request.language, "direct").fill(
            **asked, route_reason=blocks.data(request.route_reason)
        )
    return prompts.get("generate", request.language, "cited").fill(
        **asked,
        standalone=blocks.data(request.standalone),
        checklist=blocks.checklist(request.sub_questions),
        passages=blocks.sources(request.sources, request.sub_questions),
        gaps=blocks.gaps(request.gaps, request.sub_questions),
        conflicts=blocks.conflicts(request.conflicts, request.sub_questions, request.sources),
    )


def extract_messages(
    title: str, text: str, fields: Sequence[str], language: Language, prompts: PromptSet
) -> list[BaseMessage]:
    """`fields` that the table below does not explain are asked for by name alone."""
    explained = "\n".join(f"{field}: {FIELDS.get(field, {}).get(language, field)}" for field in fields)
    return prompts.get("extract", language).fill(
        fields=blocks.data(explained), title=blocks.data(title), document=blocks.data(text)
    )
