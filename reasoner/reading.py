"""What a model replied, as values that nodes can trust: numbers mapped back to ids, scores in their bands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from context.reasoning import (
    GradeRequest,
    Judgement,
    ProposedQuery,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    clamp,
)
from context.retrieval import Passage
from evidence import Repairs
from reasoner.schemas import GradeForm, GradesForm, QueryForm, RewriteAgainForm, RewriteForm, RouteForm
from state import MAX_SUB_QUESTIONS, Language
from text.quotes import locate

MAX_QUERIES: Final = 6

NOT_NAMED: Final[dict[Language, str]] = {
    "zh": "模型未指出该段落与此项有关。",
    "en": "The model named no relation between this passage and this item.",
}


def route_of(form: RouteForm, request: RouteRequest) -> Route:
    """The route; without a stand-alone question the asker's own words stand."""
    return Route(form.need_retrieval, form.reason.strip(), form.standalone.strip() or request.question)


def rewrite_of(form: RewriteForm | RewriteAgainForm, request: RewriteRequest) -> Rewrite:
    """Checklist and queries without blanks and repeats, each query's `gap` a position in the checklist or None."""
    if isinstance(form, RewriteAgainForm):
        known = {number: number for number in range(1, len(request.sub_questions) + 1)}
        return Rewrite((), _queries(form.queries, known))
    items: dict[str, bool] = {}
    place: dict[int, int] = {}
    for number, item in enumerate(form.sub_questions, 1):
        text = item.text.strip()
        if text and (text in items or len(items) < MAX_SUB_QUESTIONS):
            items[text] = items.get(text, False) or item.required
            place[number] = list(items).index(text) + 1
    return Rewrite(tuple(items.items()), _queries(form.queries, place))


def judgements_of(form: GradesForm, request: GradeRequest) -> tuple[Judgement, ...]:
    """One judgement for each passage and sub-question; a pair that the model left out is irrelevant.

    Grades of numbers that were never given are dropped; of two grades for one pair the first counts.
    """
    given, against = _first_of_each(form), _contradictions(form, request)
    return tuple(
        _judgement(given.get((p, s)), passage, sub_question["id"], request.language, against.get((p, s), ()))
        for p, passage in enumerate(request.passages, 1)
        for s, sub_question in enumerate(request.sub_questions, 1)
    )


def repairs_of(form: GradesForm, request: GradeRequest) -> Repairs:
    """What `judgements_of` makes good; quotes are judged by whoever holds the passages."""
    asked = {(p + 1, s + 1) for p in range(len(request.passages)) for s in range(len(request.sub_questions))}
    kept = {pair: grade for pair, grade in _first_of_each(form).items() if pair in asked}
    return {
        "missing": len(asked) - len(kept),
        "dropped": len(form.grades) - len(kept),
        "rescored": sum(clamp(grade.band, grade.score) != grade.score for grade in kept.values()),
        "unquoted": 0,
    }


def _first_of_each(form: GradesForm) -> dict[tuple[int, int], GradeForm]:
    given: dict[tuple[int, int], GradeForm] = {}
    for grade in form.grades:
        given.setdefault((grade.passage, grade.sub_question), grade)
    return given


def _contradictions(form: GradesForm, request: GradeRequest) -> dict[tuple[int, int], tuple[str, ...]]:
    """By passage and sub-question, the chunks that the model says contradict it; numbers never given name none."""
    chunks = {number: passage.chunk_id for number, passage in enumerate(request.passages, 1)}
    against: dict[tuple[int, int], tuple[str, ...]] = {}
    for named in form.contradictions:
        for one, other in ((named.first, named.second), (named.second, named.first)):
            if one != other and other in chunks:
                pair = one, named.sub_question
                against[pair] = tuple(dict.fromkeys([*against.get(pair, ()), chunks[other]]))
    return against


def _queries(forms: Iterable[QueryForm], place: dict[int, int]) -> tuple[ProposedQuery, ...]:
    queries: dict[str, ProposedQuery] = {}
    for form in forms:
        text = " ".join(form.text.split())
        if text:
            queries.setdefault(text, ProposedQuery(text, place.get(form.sub_question)))
    return tuple(queries.values())[:MAX_QUERIES]


def _judgement(
    grade: GradeForm | None, passage: Passage, sub_question_id: str, language: Language, against: tuple[str, ...]
) -> Judgement:
    if grade is None:
        return Judgement(sub_question_id, passage.chunk_id, "", NOT_NAMED[language], "irrelevant", 0.0)
    quote = "" if grade.band == "irrelevant" else _quote(grade.quote, passage.text)
    score = clamp(grade.band, grade.score)
    return Judgement(sub_question_id, passage.chunk_id, quote, grade.reason.strip(), grade.band, score, against)


def _quote(claimed: str, text: str) -> str:
    """The passage's own words at the place that the model quoted, empty if it has no such place.

    The prompt shows a delimiter-like `<` as `&lt;`, so a faithful quote may hold one.
    """
    place = locate(claimed, text) or locate(claimed.replace("&lt;", "<"), text)
    return text[slice(*place)] if place else ""
