"""What becomes of a proposed rewrite: the checklist and queries that add nothing, repeat nothing and name their gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from context.reasoning import ProposedQuery, Rewrite
from context.retrieval import Passage
from evidence import Gap
from policy import budget
from policy.drift import added
from policy.repeats import Repeats
from state import MAX_SUB_QUESTIONS, Query, RAGState, SubQuestion, Update
from text.tokens import content_tokens


def first_plan(rewriting: Rewrite, state: RAGState) -> Update:
    """The checklist, which later rounds keep, and the first queries."""
    sub_questions = checklist(rewriting, state)
    aims = [_id(text.strip(), sub_questions) for text, _ in rewriting.sub_questions]
    queries: list[Query] = [{"text": q.text, "gap": _aim(q, aims)} for q in rewriting.queries]
    return {"sub_questions": sub_questions, "rewritten_queries": new_queries(queries, state)}


def later_plan(rewriting: Rewrite, state: RAGState, gaps: Sequence[Gap], found: Sequence[Passage]) -> Update:
    """Queries for the open gaps and for nothing else; one that names no sub-question goes to the gap nearest to it.

    They may say the names that established evidence brought: a second hop is asked with what the first one found.
    """
    aims = [q["id"] for q in state["sub_questions"]]
    named = [gap["sub_question_id"] for gap in gaps]
    queries: list[Query] = [
        {"text": q.text, "gap": _aim(q, aims) or _nearest(q.text, gaps)} for q in rewriting.queries if gaps
    ]
    wanted = [query for query in queries if query["gap"] in named]
    return {"rewritten_queries": new_queries(wanted, state, _established(state, found))}


def checklist(rewriting: Rewrite, state: RAGState) -> list[SubQuestion]:
    """The proposed sub-questions that add nothing; without a required one, the question itself becomes it."""
    said, whole = _said(state), state["standalone"]
    faithful: dict[str, bool] = {}
    for proposed, required in rewriting.sub_questions:
        if (text := proposed.strip()) and not added(text, said):
            faithful[text] = required or faithful.get(text, False)
    kept = list(faithful.items())[:MAX_SUB_QUESTIONS]
    if not any(required for _, required in kept):
        kept = [(whole, True), *((text, False) for text, _ in kept if text != whole)][:MAX_SUB_QUESTIONS]
    return [{"id": f"q{n}", "text": text, "required": required} for n, (text, required) in enumerate(kept, start=1)]


def new_queries(proposed: Iterable[Query], state: RAGState, established: str = "") -> list[Query]:
    """The queries that add nothing and repeat none, as many as the search budget still allows."""
    said = _said(state)
    repeats = Repeats([state["standalone"], *(tried["text"] for tried in state["tried"])])
    stripped: list[Query] = [{"text": query["text"].strip(), "gap": query["gap"]} for query in proposed]
    fresh = [q for q in stripped if not added(q["text"], said, names=established) and repeats.adds(q["text"])]
    own = 0 if state["tried"] else 1
    return fresh[: max(0, budget.searches_left(state) - own)]


def _aim(query: ProposedQuery, aims: Sequence[str | None]) -> str | None:
    """The id of the sub-question that the query aims at; None for the whole question, or one that was not kept."""
    return aims[query.gap - 1] if query.gap is not None and 1 <= query.gap <= len(aims) else None


def _id(text: str, sub_questions: Sequence[SubQuestion]) -> str | None:
    return next((q["id"] for q in sub_questions if q["text"] == text), None)


def _nearest(text: str, gaps: Sequence[Gap]) -> str:
    """The gap that shares the most words with a query, the first of several."""
    words = set(content_tokens(text))
    return max(gaps, key=lambda gap: len(words & set(content_tokens(gap["text"]))))["sub_question_id"]


def _said(state: RAGState) -> str:
    """All that the asker and this conversation have said."""
    history = (f"{turn['question']}\n{turn['answer']}" for turn in state["history"])
    return "\n".join([state["question"], state["standalone"], *history])


def _established(state: RAGState, found: Sequence[Passage]) -> str:
    """The text of the passages that are evidence."""
    ids = {e["chunk_id"] for entry in state["ledger"] for e in entry["evidence"]}
    return "\n".join(f"{p.title}\n{p.heading}\n{p.text}" for p in found if p.chunk_id in ids)
