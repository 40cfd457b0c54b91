"""No reasoner's grade lets a passage pass that speaks of another model, place or year than the question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from context.reasoning import Judgement
from context.retrieval import Passage
from policy.contradiction import CAP, Described, contradiction
from policy.ledger import EVIDENCE_FLOOR
from state import RAGState


def capped(judgements: Iterable[Judgement], state: RAGState, passages: Mapping[str, Passage]) -> list[Judgement]:
    """The judgements, those that would be evidence checked by code against what the question names."""
    asked = {question["id"]: question["text"] for question in state["sub_questions"]}
    return [
        _capped(one, asked[one.sub_question_id], state, passages[one.chunk_id]) if one.score >= EVIDENCE_FLOOR else one
        for one in judgements
    ]


def _capped(judgement: Judgement, sub_question: str, state: RAGState, passage: Passage) -> Judgement:
    described = Described(passage.title, passage.heading, passage.text, passage.metadata)
    reason = contradiction(sub_question, state["standalone"], described, state["language"])
    return replace(judgement, reason=reason, band="irrelevant", score=CAP) if reason else judgement
