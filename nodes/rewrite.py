"""What must the answer establish, and what should be searched for next?"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from context import Context, Passage, ProposedQuery, Reasoned, Rewrite, RewriteRequest
from nodes.bounded import GRADING, look_up, said_before, think
from policy import budget
from policy.conflicts import worth_a_round
from policy.decide import decide
from policy.drift import added
from policy.proposal import propose
from state import MAX_SUB_QUESTIONS, Query, RAGState, SubQuestion, Update

FOUND_SHOWN: Final = 9
"""Passages that a later rewrite is shown, so that it can use a document's own words: all that one round grades."""

FIELDS_SHARE: Final = 0.25
"""Of the time before the answer: a search without a proposed filter is better than none."""


async def rewrite(state: RAGState, runtime: Runtime[Context]) -> Update:
    """First round: the checklist and queries from several angles. Later: queries aimed at the named gaps."""
    context = runtime.context
    later = bool(state["tried"])
    found = await _nearest(state, context) if later else ()

    def ask(timeout_s: float, max_calls: int) -> Awaitable[Reasoned[Rewrite]]:
        return context.reasoner.rewrite(
            RewriteRequest(
                question=state["standalone"],
                language=state["language"],
                history=tuple(state["history"]),
                sub_questions=tuple(state["sub_questions"]),
                gaps=tuple(worth_a_round(state["gaps"], state["conflicts"], state["retry_count"])),
                tried=tuple(state["tried"]),
                ledger=tuple(state["ledger"]),
                found=found,
                principal=context.principal,
                timeout_s=timeout_s,
                max_calls=max_calls,
                conflicts=tuple(state["conflicts"]),
            )
        )

    texts = (state["standalone"], *said_before(state), *(passage.text for passage in found))
    thought = await think(state, context, texts, ask, keep=GRADING)
    update: Update = {"retry_count": state["retry_count"] + 1 if later else 0, "spent": thought.spent}
    # Without a first rewrite the question itself is searched and judged; without a later one nothing is left to do.
    if thought.value or not later:
        update.update(_plan(thought.value or Rewrite((), ()), state))
        update["proposed_filter"] = state.get("proposed_filter") if later else await _proposed_filter(state, context)
    after: RAGState = {**state, **update}
    lost = thought.lost if later or thought.lost == "deadline" else None
    return {**update, "stop_reason": decide(after, state["dials"], context.clock(), at="rewrite", lost=lost)}


def _plan(rewriting: Rewrite, state: RAGState) -> Update:
    """The checklist, made in the first round and kept in later ones, and the queries of this round."""
    later = bool(state["tried"])
    sub_questions = state["sub_questions"] if later else checklist(rewriting, state)
    aims = [q["text"] for q in sub_questions] if later else [text.strip() for text, _ in rewriting.sub_questions]
    return {
        "sub_questions": sub_questions,
        "rewritten_queries": new_queries(rewriting.queries, aims, sub_questions, state),
    }


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


def new_queries(
    proposed: Iterable[ProposedQuery], aims: Sequence[str], sub_questions: Sequence[SubQuestion], state: RAGState
) -> list[Query]:
    """The proposed queries that add nothing and were not tried, as many as the search budget still allows.

    Their `gap` is a position in `aims`, the sub-questions as they were proposed.
    """
    said = _said(state)
    taken = {_key(tried["text"]) for tried in state["tried"]} | {_key(state["standalone"])}
    fresh: list[Query] = []
    for query in proposed:
        text = query.text.strip()
        if text and _key(text) not in taken and not added(text, said):
            taken.add(_key(text))
            fresh.append({"text": text, "gap": _gap(query, aims, sub_questions)})
    own = 0 if state["tried"] else 1
    return fresh[: max(0, budget.searches_left(state) - own)]


def _gap(query: ProposedQuery, aims: Sequence[str], sub_questions: Sequence[SubQuestion]) -> str | None:
    """The id of the sub-question that the query aims at; None for the whole question, or one that was not kept."""
    if query.gap is None or not 1 <= query.gap <= len(aims):
        return None
    return next((q["id"] for q in sub_questions if q["text"] == aims[query.gap - 1]), None)


def _said(state: RAGState) -> str:
    """All that the asker and this conversation have said."""
    history = (f"{turn['question']}\n{turn['answer']}" for turn in state["history"])
    return "\n".join([state["question"], state["standalone"], *history])


def _key(text: str) -> str:
    return "".join(text.lower().split())


async def _proposed_filter(state: RAGState, context: Context) -> dict[str, Any] | None:
    """What the question names of fields that the caller's own filter leaves free; nothing when they come too late."""
    known = await look_up(state, context, context.retriever.fields(context.principal), share=FIELDS_SHARE) or {}
    taken = state["filters"] or {}
    return propose(state["standalone"], {field: values for field, values in known.items() if field not in taken})


async def _nearest(state: RAGState, context: Context) -> tuple[Passage, ...]:
    """The ledger's passages, best grade first, then those found nearest."""
    evidence = [e for entry in state["ledger"] for e in entry["evidence"]]
    evidence.sort(key=lambda e: -e["grade"]["score"])
    hits = [e["chunk_id"] for e in evidence] + [doc["chunk_id"] for doc in state["docs"]]
    ids = list(dict.fromkeys(hits))[:FOUND_SHOWN]
    return tuple((await look_up(state, context, context.retriever.read(ids, context.principal)) or {}).values())
