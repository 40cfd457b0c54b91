"""Judge what was found against what the answer still needs."""

from __future__ import annotations

from langgraph.runtime import Runtime

from context import Context, GradeRequest, Judgement, Passage, Reasoned
from policy import budget, ledger
from policy.decide import decide
from state import Doc, Evidence, GradedPair, RAGState, SubQuestion, Update
from text.quotes import locate


async def evaluate(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Grade the best new hits, update the ledger, and name what is still missing."""
    context, dials = runtime.context, state["dials"]
    pending = ledger.unconfirmed(state["sub_questions"], state["ledger"], state["conflicts"], dials["threshold"])
    passages = await context.retriever.read(to_grade(state, pending), context.principal)
    grading = await _grade(state, context, pending, tuple(passages.values()))

    judged = list(_known(grading.value, pending, passages))
    entries = ledger.record(state["sub_questions"], state["ledger"], (_evidence(j, passages) for j in judged))
    barren = ledger.is_barren(state["sub_questions"], state["ledger"], entries)
    update: Update = {
        "graded": [*state["graded"], *_pairs(judged, pending, passages)],
        "ledger": entries,
        "relevance_score": ledger.relevance_score(state["sub_questions"], entries, state["conflicts"]),
        "gaps": ledger.gaps(state["sub_questions"], entries, state["conflicts"], state["tried"], dials["threshold"]),
        "spent": budget.settle(state["spent"], grading.usage, barren_rounds=int(barren)),
    }
    after: RAGState = {**state, **update}
    return {**update, "stop_reason": decide(after, dials, context.clock(), at="evaluate")}


def to_grade(state: RAGState, pending: list[SubQuestion]) -> list[str]:
    """Chunk ids worth a judgement: the best new hits of each pending sub-question, in turn, up to the round's limit.

    A sub-question's hits are those of the queries aimed at it first, then the others in fused order.
    """
    dials = state["dials"]
    done = {(pair["sub_question_id"], pair["chunk_id"]) for pair in state["graded"]}
    rows = []
    for question in pending:
        new = [doc for doc in _aimed_first(state, question) if (question["id"], doc["chunk_id"]) not in done]
        rows.append([doc["chunk_id"] for doc in new[: dials["grades_per_sub_question"]]])
    depth = range(dials["grades_per_sub_question"])
    in_turn = [row[place] for place in depth for row in rows if place < len(row)]
    return list(dict.fromkeys(in_turn))[: dials["grades_per_round"]]


def _aimed_first(state: RAGState, question: SubQuestion) -> list[Doc]:
    aimed = {query["text"] for query in state["rewritten_queries"] if query["gap"] == question["id"]}

    def rank(doc: Doc) -> tuple[int, int]:
        ranks = [lane["rank"] for lane in doc["lanes"] if lane["query"] in aimed]
        return (min(ranks), doc["rank"]) if ranks else (1_000_000, doc["rank"])

    return sorted(state["docs"], key=rank)


async def _grade(
    state: RAGState, context: Context, pending: list[SubQuestion], passages: tuple[Passage, ...]
) -> Reasoned[tuple[Judgement, ...]]:
    """One batched call; none when there is nothing to judge."""
    if not pending or not passages:
        return Reasoned(())
    return await context.reasoner.grade(
        GradeRequest(
            question=state["standalone"],
            language=state["language"],
            sub_questions=tuple(pending),
            passages=passages,
            principal=context.principal,
            timeout_s=budget.time_for_call(state, context.clock()),
        )
    )


def _known(
    judgements: tuple[Judgement, ...], pending: list[SubQuestion], passages: dict[str, Passage]
) -> list[Judgement]:
    """The judgements of passages and sub-questions that were asked for."""
    asked = {question["id"] for question in pending}
    return [j for j in judgements if j.chunk_id in passages and j.sub_question_id in asked]


def _pairs(judged: list[Judgement], pending: list[SubQuestion], passages: dict[str, Passage]) -> list[GradedPair]:
    """Every pair that was sent, with its score; one that came back without a grade counts as 0."""
    scores = {(j.sub_question_id, j.chunk_id): j.score for j in judged}
    return [
        {"sub_question_id": q["id"], "chunk_id": chunk_id, "score": float(scores.get((q["id"], chunk_id), 0.0))}
        for q in pending
        for chunk_id in passages
    ]


def _evidence(judgement: Judgement, passages: dict[str, Passage]) -> Evidence:
    """The judgement with its quote found in the passage; a quote that does not stand there becomes the passage."""
    passage = passages[judgement.chunk_id]
    start, end = locate(judgement.quote, passage.text) or (0, len(passage.text))
    return {
        "sub_question_id": judgement.sub_question_id,
        "chunk_id": passage.chunk_id,
        "doc_id": passage.doc_id,
        "version": passage.version,
        "title": passage.title,
        "quote": passage.text[start:end],
        "start": start,
        "end": end,
        "grade": {"reason": judgement.reason, "band": judgement.band, "score": float(judgement.score)},
    }
