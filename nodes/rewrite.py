"""What must the answer establish, and what should be searched for next?"""

from __future__ import annotations

from collections.abc import Iterable

from langgraph.runtime import Runtime

from context import Context, Passage, ProposedQuery, Rewrite, RewriteRequest
from policy import budget
from policy.decide import decide
from policy.drift import added
from state import Query, RAGState, SubQuestion, Update

MAX_SUB_QUESTIONS = 6
FOUND_SHOWN = 5
"""Nearest passages that a later rewrite is shown, so that it can use a document's own words."""


async def rewrite(state: RAGState, runtime: Runtime[Context]) -> Update:
    """First round: the checklist and queries from several angles. Later: queries aimed at the named gaps."""
    context = runtime.context
    later = bool(state["tried"])
    rewriting = await context.reasoner.rewrite(
        RewriteRequest(
            question=state["standalone"],
            language=state["language"],
            history=tuple(state["history"]),
            sub_questions=tuple(state["sub_questions"]),
            gaps=tuple(state["gaps"]),
            tried=tuple(state["tried"]),
            found=await _nearest(state, context) if later else (),
            principal=context.principal,
            timeout_s=budget.time_for_call(state, context.clock()),
        )
    )
    sub_questions = state["sub_questions"] if later else checklist(rewriting.value, state)
    update: Update = {
        "retry_count": state["retry_count"] + 1 if later else 0,
        "sub_questions": sub_questions,
        "rewritten_queries": new_queries(rewriting.value.queries, sub_questions, state),
        "spent": budget.settle(state["spent"], rewriting.usage),
    }
    after: RAGState = {**state, **update}
    return {**update, "stop_reason": decide(after, state["dials"], context.clock(), at="rewrite")}


def checklist(rewriting: Rewrite, state: RAGState) -> list[SubQuestion]:
    """The proposed sub-questions that add nothing; without a required one, the question itself becomes it."""
    said = _said(state)
    faithful = [(text.strip(), required) for text, required in rewriting.sub_questions if not added(text, said)]
    kept = [(text, required) for text, required in dict.fromkeys(faithful) if text][:MAX_SUB_QUESTIONS]
    if not any(required for _, required in kept):
        kept = [(state["standalone"], True), *kept[: MAX_SUB_QUESTIONS - 1]]
    return [{"id": f"q{n}", "text": text, "required": required} for n, (text, required) in enumerate(kept, start=1)]


def new_queries(proposed: Iterable[ProposedQuery], sub_questions: list[SubQuestion], state: RAGState) -> list[Query]:
    """The proposed queries that add nothing and were not tried, as many as the search budget still allows."""
    said = _said(state)
    taken = {_key(tried["text"]) for tried in state["tried"]} | {_key(state["standalone"])}
    fresh: list[Query] = []
    for query in proposed:
        text = query.text.strip()
        if text and _key(text) not in taken and not added(text, said):
            taken.add(_key(text))
            fresh.append({"text": text, "gap": _gap(query, sub_questions)})
    own = 0 if state["tried"] else 1
    return fresh[: max(0, budget.searches_left(state) - own)]


def _gap(query: ProposedQuery, sub_questions: list[SubQuestion]) -> str | None:
    if query.gap is None or not 1 <= query.gap <= len(sub_questions):
        return None
    return sub_questions[query.gap - 1]["id"]


def _said(state: RAGState) -> str:
    """All that the asker and this conversation have said."""
    history = (f"{turn['question']}\n{turn['answer']}" for turn in state["history"])
    return "\n".join([state["question"], state["standalone"], *history])


def _key(text: str) -> str:
    return "".join(text.lower().split())


async def _nearest(state: RAGState, context: Context) -> tuple[Passage, ...]:
    ids = [doc["chunk_id"] for doc in state["docs"][:FOUND_SHOWN]]
    passages = await context.retriever.read(ids, context.principal)
    return tuple(passages[chunk_id] for chunk_id in ids if chunk_id in passages)
