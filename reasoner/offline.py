"""The reasoner that needs no model and no network: rules, corpus statistics and the embedder. Honest: it extracts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Final

from context import (
    AnswerRequest,
    GradeRequest,
    Judgement,
    Passage,
    Principal,
    ProposedQuery,
    Reasoned,
    Rewrite,
    RewriteRequest,
    Route,
    RouteRequest,
    Statistics,
    Usage,
    band_of,
)
from reasoner import checklist, extract, feedback, grading
from reasoner.smalltalk import kind_of_talk, reply
from state import Gap, SubQuestion
from text.tokens import content_tokens

FOLLOW_UP: Final = re.compile(
    r"^(?:那|它|他|她|这个|那个|这些|那些|还有|另外|为什么)|呢[？?]?$"
    r"|^(?:then|and|what about|how about|it|they|he|she|why)\b",
    re.IGNORECASE,
)


class OfflineReasoner:
    """Implements `context.Reasoner`; `statistics` are those of the index that the questions are asked of."""

    name = "offline-1"

    def __init__(self, statistics: Statistics) -> None:
        self._statistics = statistics

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        talk = kind_of_talk(request.question)
        if talk is not None:
            return Reasoned(Route(need_retrieval=False, reason=talk, standalone=request.question))
        return Reasoned(Route(need_retrieval=True, reason="look_up", standalone=_standalone(request)))

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        if request.sub_questions:
            return Reasoned(Rewrite((), tuple(self._queries_for_gaps(request))))
        pieces = checklist.sub_questions(request.question)
        aimed = [ProposedQuery(piece, place) for place, piece in enumerate(pieces, start=1)]
        keywords = ProposedQuery(" ".join(dict.fromkeys(content_tokens(request.question))), None)
        return Reasoned(Rewrite(tuple((piece, True) for piece in pieces), (*aimed, keywords)))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        texts = [question["text"] for question in request.sub_questions]
        chunk_ids = [passage.chunk_id for passage in request.passages]
        cosines = await self._statistics.similarities(texts, chunk_ids, request.principal)
        words = {passage.chunk_id: _words(passage) for passage in request.passages}
        return Reasoned(
            tuple(
                self._judge(
                    request,
                    question,
                    passage,
                    words[passage.chunk_id],
                    None if cosines is None else float(cosines[i, j]),
                )
                for i, question in enumerate(request.sub_questions)
                for j, passage in enumerate(request.passages)
            )
        )

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        if not request.sources:
            yield reply(request.route_reason, request.question, request.history, request.language)
            return
        for paragraph in extract.answer(request):
            yield paragraph

    def _judge(
        self, request: GradeRequest, question: SubQuestion, passage: Passage, words: set[str], cosine: float | None
    ) -> Judgement:
        idf = {term: self._statistics.idf(term, request.principal) for term in set(content_tokens(question["text"]))}
        covered = grading.coverage(idf, words, idf)
        value = round(grading.score(cosine, covered), 4)
        return Judgement(
            sub_question_id=question["id"],
            chunk_id=passage.chunk_id,
            quote=extract.quote(question["text"], passage.text, lambda term: idf.get(term, 0.0)),
            reason=grading.reason(cosine, covered, request.language),
            band=band_of(value),
            score=value,
        )

    def _queries_for_gaps(self, request: RewriteRequest) -> list[ProposedQuery]:
        place = {question["id"]: n for n, question in enumerate(request.sub_questions, start=1)}
        return [
            ProposedQuery(text, place[gap["sub_question_id"]])
            for gap in request.gaps
            for text in self._sides(gap, request)
        ]

    def _sides(self, gap: Gap, request: RewriteRequest) -> list[str]:
        rounds = {tried["round"] for tried in request.tried}
        terms = feedback.expansion(gap["text"], request.found, lambda term: self._idf(term, request.principal))
        return feedback.queries_for_gap(gap["text"], len(rounds), terms)

    def _idf(self, term: str, principal: Principal) -> float:
        return self._statistics.idf(term, principal)


def _words(passage: Passage) -> set[str]:
    return set(content_tokens(f"{passage.title}\n{passage.heading}\n{passage.text}"))


def _standalone(request: RouteRequest) -> str:
    """A follow-up carries the question before it along; one that stands alone keeps its words."""
    if request.history and FOLLOW_UP.search(request.question.strip()):
        return f"{request.history[-1]['standalone']} {request.question}"
    return request.question
