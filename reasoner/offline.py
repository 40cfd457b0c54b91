"""The reasoner that needs no model and no network: rules, corpus statistics and the embedder. Honest: it extracts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final

import numpy as np

from context.reasoning import (
    BANDS,
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
    band_of,
)
from context.retrieval import Passage, Statistics, Vectors
from context.tools import Point, SummaryRequest, ToolChoice, ToolRequest
from evidence import Gap
from reasoner import checklist, extract, feedback, grading, settling, tool_rules
from reasoner.smalltalk import reply
from state import SubQuestion
from text.coverage import covered, words_of
from text.follow_up import leans_on_history, replaced
from text.language import language
from text.smalltalk import kind_of_talk
from text.stems import stem
from text.tokens import content_tokens, content_words

PATIENCE: Final = 0.5
"""The part of a decision's time in which the embedder must answer: in the rest, words decide without it."""
CARRIED: Final = 6
"""Words of the question before that a follow-up takes along (docs/decisions/0028: 3 to 8 find about the same)."""


class OfflineReasoner:
    """Implements `context.Reasoner`; `statistics` are those of the index that the questions are asked of.

    Its grades know the cosines of one embedder: with any other, or none, the words that a passage shares decide alone.
    """

    name = "offline-1"
    calls_models = False

    def __init__(self, statistics: Statistics, embedder: str | None) -> None:
        self._statistics = statistics
        self._knows_cosines = embedder in grading.EMBEDDERS

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        talk = kind_of_talk(request.question)
        if talk is not None:
            return Reasoned(Route(need_retrieval=False, reason=talk, standalone=request.question))
        return Reasoned(Route(need_retrieval=True, reason="look_up", standalone=self._standalone(request)))

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        if request.sub_questions:
            return Reasoned(Rewrite((), tuple(await self._queries_for_gaps(request))))
        pieces = checklist.sub_questions(request.question)
        aimed = [ProposedQuery(piece, place) for place, piece in enumerate(pieces, start=1)]
        keywords = ProposedQuery(" ".join(dict.fromkeys(content_words(request.question))), None)
        return Reasoned(Rewrite(tuple((piece, True) for piece in pieces), (*aimed, keywords)))

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        cosines = await self._cosines(request)
        # Cutting passages into words takes long enough that other runs should not wait for it.
        return Reasoned(await asyncio.to_thread(self._judgements, request, cosines))

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        if not request.sources:
            yield reply(request.route_reason, request.question, request.history, request.language)
            return
        for paragraph in extract.answer(request):
            yield paragraph

    async def choose_tool(self, request: ToolRequest) -> Reasoned[ToolChoice]:
        judged: tuple[Judgement, ...] = ()
        if request.open and tool_rules.at_hand(request):
            judged = (await self.grade(tool_rules.grade_request(request))).value
        return Reasoned(await asyncio.to_thread(tool_rules.choose, request, judged, self._statistics))

    async def summarize(self, request: SummaryRequest) -> Reasoned[tuple[Point, ...]]:
        """Sentences of the passages that the grader would let pass, best first."""
        item: SubQuestion = {"id": "q1", "text": request.question, "required": True}
        asked = GradeRequest(
            request.question, request.language, (item,), request.passages, (), (), request.principal, request.timeout_s
        )
        judged = [one for one in (await self.grade(asked)).value if one.score >= BANDS["partial"][0]]
        return Reasoned(tuple(Point(one.chunk_id, one.quote) for one in sorted(judged, key=lambda one: -one.score)))

    def _standalone(self, request: RouteRequest) -> str:
        """A follow-up takes the rarest words of the question before it along; one that stands alone keeps its words."""
        if not request.history or not leans_on_history(request.question):
            return request.question
        last = request.history[-1]["standalone"]
        own = set(content_tokens(request.question)) | replaced(request.question, last)
        words = list(dict.fromkeys(content_words(last)))
        whole = (word for word in words if not any(word != other and word in other for other in words))
        before = [word for word in whole if stem(word) not in own]
        rarest = sorted(before, key=lambda word: -self._statistics.idf(stem(word), request.principal))[:CARRIED]
        return " ".join([*(word for word in before if word in rarest), request.question])

    async def _cosines(self, request: GradeRequest) -> Vectors | None:
        """How near each sub-question is to each passage, shape (sub-questions, passages); None without its embedder.

        Once something is established, a gap's later queries speak the documents' words and count as the gap rephrased.
        """
        if not self._knows_cosines:
            return None
        parts = [question["text"] for question in request.sub_questions]
        rephrased = request.queries if any(entry["evidence"] for entry in request.ledger) else ()
        texts = [request.question, *parts, *(query["text"] for query in rephrased)]
        near = await self._similarities(texts, request.passages, request)
        if near is None:
            return None
        whole, of_parts, of_rephrased = near[0], near[1 : len(parts) + 1], near[len(parts) + 1 :]
        cosines = grading.in_context(whole, of_parts)
        places = {question["id"]: place for place, question in enumerate(request.sub_questions)}
        for query, row in zip(rephrased, of_rephrased, strict=True):
            if (place := places.get(query["gap"] or "")) is not None:
                cosines[place] = np.maximum(cosines[place], row)
        return cosines

    def _judgements(self, request: GradeRequest, cosines: Vectors | None) -> tuple[Judgement, ...]:
        """Every passage for every sub-question, by the words they share and by the cosines, if there are any."""
        words = [words_of(passage.title, passage.heading, passage.text) for passage in request.passages]
        foreign = [language(passage.text) != language(request.question) for passage in request.passages]
        judged = []
        for i, question in enumerate(request.sub_questions):
            terms = set(content_tokens(question["text"]))
            idf = {term: self._statistics.idf(term, request.principal) for term in terms}
            for j, passage in enumerate(request.passages):
                cosine = None if cosines is None else float(cosines[i, j])
                share = covered(idf, *words[j])
                value = round(grading.score(cosine, share, across=foreign[j]), 4)
                why = grading.reason(cosine, share, request.language)
                judged.append(_judgement(question, passage, idf, value, why))
        return tuple(judged)

    async def _queries_for_gaps(self, request: RewriteRequest) -> list[ProposedQuery]:
        place = {question["id"]: n for n, question in enumerate(request.sub_questions, start=1)}
        return [
            ProposedQuery(text, place[gap["sub_question_id"]])
            for gap in request.gaps
            for text in await self._sides(gap, request)
        ]

    async def _sides(self, gap: Gap, request: RewriteRequest) -> list[str]:
        if gap["kind"] == "conflict":
            return settling.queries_for_conflict(
                gap["text"], request.conflicts, gap["sub_question_id"], request.language
            )
        attempt = len({tried["round"] for tried in request.tried})
        nearest = await self._nearest(gap["text"], request)
        terms = await asyncio.to_thread(feedback.expansion, gap["text"], nearest, self._statistics, request.principal)
        return feedback.queries_for_gap(gap["text"], attempt, terms)

    async def _nearest(self, text: str, request: RewriteRequest) -> list[Passage]:
        """Of the passages that were judged relevant, or if there are none of those found, the nearest to the gap."""
        relevant = {e["chunk_id"] for entry in request.ledger for e in entry["evidence"]}
        found = [passage for passage in request.found if not relevant or passage.chunk_id in relevant]
        near = await self._similarities([text], found, request)
        if near is None:
            return found[: feedback.PASSAGES]
        order = sorted(range(len(found)), key=lambda place: -float(near[0, place]))
        return [found[place] for place in order[: feedback.PASSAGES]]

    async def _similarities(
        self, texts: Sequence[str], passages: Sequence[Passage], request: GradeRequest | RewriteRequest
    ) -> Vectors | None:
        """None also when they take so long that no time would be left to decide without them."""
        chunk_ids = [passage.chunk_id for passage in passages]
        return await self._statistics.similarities(texts, chunk_ids, request.principal, PATIENCE * request.timeout_s)


def _judgement(question: SubQuestion, passage: Passage, idf: Mapping[str, float], value: float, why: str) -> Judgement:
    return Judgement(
        sub_question_id=question["id"],
        chunk_id=passage.chunk_id,
        quote=extract.quote(passage.text, idf),
        reason=why,
        band=band_of(value),
        score=value,
    )
