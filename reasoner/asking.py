"""Requests of the nodes as messages for a chat model."""

from __future__ import annotations

from langchain_core.messages import BaseMessage

from context import AnswerRequest, GradeRequest, RewriteRequest, RouteRequest
from reasoner import blocks
from reasoner.templates import load


def route_messages(request: RouteRequest) -> list[BaseMessage]:
    return load("route", request.language).fill(
        history=blocks.history(request.history), question=blocks.data(request.question)
    )


def rewrite_messages(request: RewriteRequest) -> list[BaseMessage]:
    """The first round asks for a checklist; a later one shows it, with what is missing and what was tried."""
    asked = {"history": blocks.history(request.history), "question": blocks.data(request.question)}
    if not request.sub_questions:
        return load("rewrite", request.language, "first round").fill(**asked)
    return load("rewrite", request.language, "later round").fill(
        **asked,
        checklist=blocks.checklist(request.sub_questions),
        gaps=blocks.gaps(request.gaps, request.sub_questions),
        tried=blocks.tried(request.tried, request.sub_questions),
        found=blocks.found(request.found),
    )


def evaluate_messages(request: GradeRequest) -> list[BaseMessage]:
    return load("evaluate", request.language).fill(
        question=blocks.data(request.question),
        checklist=blocks.checklist(request.sub_questions),
        passages=blocks.passages(request.passages),
    )


def generate_messages(request: AnswerRequest) -> list[BaseMessage]:
    """Without sources this is a direct reply, which cites nothing."""
    asked = {"history": blocks.history(request.history), "question": blocks.data(request.question)}
    if not request.sources:
        return load("generate", request.language, "direct").fill(
            **asked, route_reason=blocks.data(request.route_reason)
        )
    return load("generate", request.language, "cited").fill(
        **asked,
        standalone=blocks.data(request.standalone),
        checklist=blocks.checklist(request.sub_questions),
        passages=blocks.sources(request.sources, request.sub_questions),
        gaps=blocks.gaps(request.gaps, request.sub_questions),
        conflicts=blocks.conflicts(request.conflicts, request.sub_questions, request.sources),
    )
