"""One rich request a kind of call, in both languages, for the tests of prompts and calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from context.reasoning import AnswerRequest, GradeRequest, RewriteRequest, RouteRequest, Source
from context.retrieval import Passage, Principal
from context.tools import Place, SummaryRequest, ToolRequest, ToolStep
from evidence import Disagreement, Gap, Side
from state import Language, SubQuestion, TriedQuery, Turn

QUESTIONS: dict[Language, str] = {"en": "Who pays for the broken gate?", "zh": "道闸坏了谁付钱？"}

HISTORY: tuple[Turn, ...] = (
    {"question": "Who owns the gate?", "standalone": "Who owns the gate?", "answer": "The site owner does [1]."},
)
SUB_QUESTIONS: tuple[SubQuestion, ...] = (
    {"id": "sq-a", "text": "Who bears the cost of repairs?", "required": True},
    {"id": "sq-b", "text": "How is damage proved?", "required": False},
)
GAPS: tuple[Gap, ...] = (
    {"sub_question_id": "sq-b", "kind": "missing", "text": "proof of damage", "tried": ["damage proof"]},
)
TRIED: tuple[TriedQuery, ...] = (
    {"text": "gate repair cost", "gap": "sq-a", "round": 0, "new_hits": 3},
    {"text": "Who pays for the broken gate?", "gap": None, "round": 0, "new_hits": 0},
)


def passage(number: int, text: str, **metadata: Any) -> Passage:
    return Passage(
        f"doc-{number}#c0ffee", f"doc-{number}", "v1", f"Rules, part {number}", "Part > Costs", text, metadata
    )


PASSAGES = (
    passage(1, "The site owner bears repairs\nof the gate.", year=2024, tags=["a"], note=""),
    passage(2, "A photo proves damage."),
    passage(3, "The canteen opens at noon."),
)


def evidence(index: int, quote: str) -> Side:
    chunk = PASSAGES[index]
    return {
        "sub_question_id": "sq-a",
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "version": chunk.version,
        "title": chunk.title,
        "quote": quote,
        "start": 0,
        "end": len(quote),
        "grade": {"reason": "says so", "band": "direct", "score": 0.95},
    }


CONFLICTS: tuple[Disagreement, ...] = (
    {"sub_question_id": "sq-a", "sides": [evidence(0, "The site owner bears repairs"), evidence(2, "noon")]},
)
SOURCES = (
    Source(1, PASSAGES[0], ("sq-a",), 0.95, ("The site owner bears repairs",)),
    Source(2, PASSAGES[1], ("sq-a", "sq-b"), 0.8, ("A photo proves damage.",)),
)


def route_request(language: Language = "en", timeout_s: float = 5.0) -> RouteRequest:
    return RouteRequest(QUESTIONS[language], language, HISTORY, timeout_s)


def first_rewrite(language: Language = "en") -> RewriteRequest:
    return RewriteRequest(QUESTIONS[language], language, HISTORY, (), (), (), (), (), Principal(), 5.0)


def later_rewrite(language: Language = "en") -> RewriteRequest:
    return RewriteRequest(
        QUESTIONS[language], language, HISTORY, SUB_QUESTIONS, GAPS, TRIED, (), PASSAGES[2:], Principal(), 5.0
    )


def grade_request(language: Language = "en", passages: tuple[Passage, ...] = PASSAGES) -> GradeRequest:
    return GradeRequest(QUESTIONS[language], language, SUB_QUESTIONS, passages, (), (), Principal(), 5.0)


def cited_answer(language: Language = "en", timeout_s: float = 5.0) -> AnswerRequest:
    question = QUESTIONS[language]
    return AnswerRequest(question, question, language, HISTORY, "", SUB_QUESTIONS, SOURCES, GAPS, CONFLICTS, timeout_s)


def direct_answer(language: Language = "en", question: str = "Thanks!") -> AnswerRequest:
    return AnswerRequest(question, question, language, HISTORY, "thanks", (), (), (), (), 5.0)


def tool_request(
    *steps: ToolStep, language: Language = "en", gaps: tuple[Gap, ...] = (), max_calls: int = 4
) -> ToolRequest:
    return ToolRequest(
        question=QUESTIONS[language],
        language=language,
        sub_questions=SUB_QUESTIONS,
        open=SUB_QUESTIONS[:1],
        gaps=gaps,
        conflicts=CONFLICTS if gaps else (),
        ledger=(),
        suggested=({"text": "gate repair", "gap": None},),
        steps=steps,
        calls_left=9,
        searches_left=7,
        principal=Principal(),
        timeout_s=5.0,
        max_calls=max_calls,
    )


def tool_step(*texts: str, tool: str = "search", remark: str = "", **arguments: Any) -> ToolStep:
    """A step that brought the second passage, then the first, with these texts."""
    passages = [replace(p, text=text) for p, text in zip(reversed(PASSAGES[:2]), texts, strict=False)]
    return ToolStep(tool, arguments, remark, tuple(map(Place, passages)))


def summary_request(language: Language = "en", passages: tuple[Passage, ...] = PASSAGES) -> SummaryRequest:
    return SummaryRequest(QUESTIONS[language], language, passages, Principal(), 5.0)
