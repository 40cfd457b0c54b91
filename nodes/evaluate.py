"""Judge what was found against what the answer still needs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from dataclasses import replace
from itertools import zip_longest
from typing import cast

from langgraph.runtime import Runtime

from context.reasoning import GradeRequest, Judgement, Reasoned
from context.retrieval import Passage
from context.run import Context
from evidence import Evidence, GradedPair, added
from nodes.bounded import Thought, look_up, think
from nodes.contradicted import capped
from nodes.repair import repaired
from nodes.settling import settle
from policy import budget, ledger
from policy.decide import decide
from policy.inquiry import calls_of, noted
from policy.lanes import gain
from policy.modes import way_of
from policy.supersession import effect_of
from policy.window import fitted, room
from state import Doc, RAGState, StopReason, SubQuestion, Update
from text.quotes import locate

_log = logging.getLogger(__name__)


async def evaluate(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Grade the best new hits, update the ledger, and name what is still missing."""
    context, dials = runtime.context, state["dials"]
    pending = ledger.unconfirmed(state["sub_questions"], state["ledger"], state["conflicts"], dials["threshold"])
    read = await look_up(state, context, context.retriever.read(to_grade(state, pending), context.principal))
    # A search that the deadline cut off reports no lane; an agent, or what was recorded, may have made none.
    out_of_time = read is None or not (state["lanes"] or way_of(state).tools or state.get("rejudged"))
    readable = list(read.values()) if read and not out_of_time else []
    passages = _fitting(readable, state, context.windows.grade)
    grading = await _grade(state, context, pending, tuple(passages.values()))
    lost: StopReason | None = "deadline" if out_of_time else grading.lost

    mended, repairs = repaired(grading.value or (), pending, passages)
    # Telling words apart is work of the processor.
    judged = await asyncio.to_thread(capped, mended, state, passages)
    alike = {doc["chunk_id"]: doc.get("also_in", []) for doc in state["docs"]}
    evidence = (_evidence(j, passages[j.chunk_id], alike.get(j.chunk_id, [])) for j in judged)
    found = ledger.record(state["sub_questions"], state["ledger"], evidence)
    entries, disputed = await asyncio.to_thread(settle, {**state, "ledger": found}, context.clock())
    barren = not lost and ledger.is_barren(state["sub_questions"], state["ledger"], entries)
    update: Update = {
        "graded": [*state["graded"], *([] if lost else _pairs(judged, pending, passages))],
        "ledger": entries,
        "relevance_score": ledger.relevance_score(state["sub_questions"], entries, disputed),
        "gaps": ledger.gaps(state["sub_questions"], entries, disputed, state["tried"], dials["threshold"]),
        "conflicts": disputed,
        "repairs": added(state.get("repairs"), grading.repairs, None if lost else repairs),
        "spent": budget.settle(grading.spent, barren_rounds=int(barren)),
    }
    after: RAGState = {**state, **update}
    return {**update, "stop_reason": decide(after, dials, context.clock(), at="evaluate", lost=lost)}


def to_grade(state: RAGState, pending: list[SubQuestion]) -> list[str]:
    """Chunk ids worth a judgement: the best new hits of each pending sub-question, in turn, up to the round's limit.

    That limit holds alone where the question is the one sub-question: what is left over is judged in no later round.
    What a replay is to judge anew is all judged.
    """
    if rejudged := state.get("rejudged"):
        return rejudged
    dials = state["dials"]
    most = dials["grades_per_sub_question" if way_of(state).plans else "grades_per_round"]
    done = {(pair["sub_question_id"], pair["chunk_id"]) for pair in state["graded"]}
    rows = [_untold(state, question, done, most) for question in pending]
    return in_turn(rows)[: dials["grades_per_round"]]


def _untold(state: RAGState, question: SubQuestion, done: set[tuple[str, str]], most: int) -> list[str]:
    """What was not judged for it yet: all that an agent noted, and of the hits up to so many altogether."""
    notes = [c for c in noted(calls_of(state), question["id"]) if (question["id"], c) not in done]
    hits = [c for c in candidates(state, question) if (question["id"], c) not in done and c not in notes]
    return notes + hits[: max(0, most - len(notes))]


def candidates(state: RAGState, question: SubQuestion) -> list[str]:
    """The hits for a sub-question, best first: in turn those near to it and the whole question, and to it alone.

    Fused over its own queries alone, a clause may miss what it is about; with the asker's question among them, what
    speaks to the whole case comes before what settles this part of it. Where a mode made one search of the question,
    the hits stand in its order, which a reranker may have made.
    """
    if not way_of(state).plans and not state["rewritten_queries"]:
        return [doc["chunk_id"] for doc in state["docs"]]
    own = {query["text"] for query in state["rewritten_queries"] if query["gap"] == question["id"]}
    return in_turn([_fused(state, own | {state["standalone"]}), _fused(state, own)])


def in_turn(rows: list[list[str]]) -> list[str]:
    """The first of every row, then the second of every row, and so on, without repeats."""
    return list(dict.fromkeys(item for place in zip_longest(*rows) for item in place if item is not None))


def _fused(state: RAGState, queries: set[str]) -> list[str]:
    """The hits as these queries alone would rank them; those that none of them found follow as fused over all."""

    def key(doc: Doc) -> tuple[float, int]:
        return -sum(gain(state["dials"], lane) for lane in doc["lanes"] if lane["query"] in queries), doc["rank"]

    return [doc["chunk_id"] for doc in sorted(state["docs"], key=key)]


def _fitting(passages: list[Passage], state: RAGState, window: int | None) -> dict[str, Passage]:
    """What the model has room for, best first; the rest stays ungraded, for a later round."""
    fit = fitted(passages, room(state, window) if window else None)
    if fit.left_out:
        _log.warning("%d passages found no room in the context window and were not graded", fit.left_out)
    return {passage.chunk_id: replace(passage, text=text) for passage, text in fit.shown}


async def _grade(
    state: RAGState, context: Context, pending: list[SubQuestion], passages: tuple[Passage, ...]
) -> Thought[tuple[Judgement, ...]]:
    """One batched call; none when there is nothing to judge."""
    if not pending or not passages:
        return Thought((), state["spent"])

    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[tuple[Judgement, ...]]]:
        return context.reasoner.grade(
            GradeRequest(
                question=state["standalone"],
                language=state["language"],
                sub_questions=tuple(pending),
                passages=passages,
                queries=tuple(state["rewritten_queries"]),
                ledger=tuple(state["ledger"]),
                principal=context.principal,
                timeout_s=timeout_s,
                max_calls=max_calls,
            )
        )

    texts = (state["standalone"], *(q["text"] for q in pending), *(passage.text for passage in passages))
    return await think(state, context, texts, ask)


def _pairs(judged: list[Judgement], pending: list[SubQuestion], passages: dict[str, Passage]) -> list[GradedPair]:
    """Every pair that was sent, with its score; one that came back without a grade counts as 0."""
    scores = {(j.sub_question_id, j.chunk_id): j.score for j in judged}
    return [
        {"sub_question_id": q["id"], "chunk_id": chunk_id, "score": float(scores.get((q["id"], chunk_id), 0.0))}
        for q in pending
        for chunk_id in passages
    ]


def _evidence(judgement: Judgement, passage: Passage, also_in: list[str]) -> Evidence:
    """The judgement with its quote found in the passage; one that does not stand there becomes the passage."""
    start, end = locate(judgement.quote, passage.text) or (0, len(passage.text))
    evidence: Evidence = {
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
    contradicts = {"contradicts": sorted(judgement.contradicts)} if judgement.contradicts else {}
    alike = {"also_in": also_in} if also_in else {}
    return cast(Evidence, {**evidence, **effect_of(passage.metadata), **contradicts, **alike})
