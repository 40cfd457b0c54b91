"""Say what the evidence supports, with a citation for every fact; or say that it does not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from langgraph.runtime import Runtime

from context.reasoning import Rewrite, Source
from context.retrieval import Passage
from context.run import Context
from evidence import Disagreement, Evidence
from nodes.bounded import within
from nodes.plan import checklist
from nodes.relay import relay
from nodes.settling import settle
from nodes.speaking import speak
from nodes.speech import Answer
from policy import budget, ledger
from policy.decide import status
from policy.disputed import Dispute, disputes
from policy.unread import said_unread
from policy.window import fitted, room
from state import Citation, Language, RAGState, StopReason, Turn, Update
from text.quotes import locate

_log = logging.getLogger(__name__)

NOT_FOUND: Final[dict[Language, str]] = {
    "zh": "根据现有资料无法回答该问题。",
    "en": "The available documents do not answer this question.",
}
EMPTY_CORPUS: Final[dict[Language, str]] = {
    "zh": "没有可供查阅的资料：知识库为空，或筛选条件没有匹配到任何文档。",
    "en": "There is nothing to search: the knowledge base is empty, or the filter matches no document.",
}
SOURCES_AT_LEAST: Final = 2
SOURCES_AT_MOST: Final = 4
"""New sources that one sub-question brings to the answer."""


async def generate(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Stream the answer sentence by sentence, each with its citations checked, and close the turn.

    A turn whose every lane was lost says nothing: that nothing was found would be an answer, and a wrong one.
    """
    context = runtime.context
    if person := state.get("person"):
        return relay(state, person, runtime.stream_writer)
    passages = await _read(state, context)
    lost = not_standing(state, passages or {})
    gone = await asyncio.to_thread(without_gone, state, lost, context.clock(), out_of_time=passages is None)
    state = {**state, **gone}
    if status(state) == "failed":
        return gone
    evidence = usable(state)
    sources = numbered(evidence, _fitting(evidence, passages or {}, state, context.windows.answer))
    asked = f"{state['question']}\n{state['standalone']}"
    answer = Answer(runtime.stream_writer, state["language"], asked, _disputes(state, sources), state["history"])
    update: Update = {}
    if cut := None if sources else said_unread(state, lost=passages is None):
        answer.say(cut)
        update = _all_open(state)
    elif fixed := _fixed(state, sources):
        answer.say(fixed)
    else:
        update = await speak(state, context, sources, answer)
    turn: Turn = {"question": state["question"], "standalone": state["standalone"], "answer": answer.text}
    return {
        **gone,
        **update,
        "answer": turn["answer"],
        "citations": [citation(source, evidence) for source in sources if source.number in answer.cited],
        "history": [turn],
    }


async def _read(state: RAGState, context: Context) -> dict[str, Passage] | None:
    """The ledger's passages as the asker may see them now; None when they do not come in half of the time left."""
    ids = list(dict.fromkeys(e["chunk_id"] for entry in state["ledger"] for e in entry["evidence"]))
    if not ids:
        return {}
    half = budget.time_left(state, context.clock()) / 2
    return await within(half, context.retriever.read(ids, context.principal))


def _fixed(state: RAGState, sources: tuple[Source, ...]) -> str | None:
    """The fixed sentence where there is no evidence to speak from, otherwise None."""
    if state["stop_reason"] == "direct" or sources:
        return None
    return (EMPTY_CORPUS if state["stop_reason"] == "empty_corpus" else NOT_FOUND)[state["language"]]


def _all_open(state: RAGState) -> Update:
    """The gaps of a turn that looked at nothing; where it got no checklist, the question itself is missing."""
    questions = state["sub_questions"] or checklist(Rewrite((), ()), state)
    dials = state["dials"]
    gaps = ledger.gaps(questions, state["ledger"], state["conflicts"], state["tried"], dials["threshold"])
    return {"sub_questions": questions, "gaps": gaps}


def not_standing(state: RAGState, passages: Mapping[str, Passage]) -> set[str]:
    """Chunks of the ledger that cannot be read any more, or that do not hold what was quoted from them."""
    return {
        evidence["chunk_id"]
        for entry in state["ledger"]
        for evidence in entry["evidence"]
        if (passage := passages.get(evidence["chunk_id"])) is None or locate(evidence["quote"], passage.text) is None
    }


def without_gone(state: RAGState, gone: set[str], now: float, *, out_of_time: bool = False) -> Update:
    """What changes when evidence was deleted, or is no longer allowed, since it was graded: nothing rests on it, and
    neither does a conflict.

    `out_of_time` says that nobody could tell: then nothing may be shown either.
    """
    if not gone:
        return {}
    questions, threshold = state["sub_questions"], state["dials"]["threshold"]
    left, conflicts = settle({**state, "ledger": ledger.without(state["ledger"], gone)}, now)
    score = ledger.relevance_score(questions, left, conflicts)
    instead: StopReason = "deadline" if out_of_time else "no_new_evidence"
    return {
        "ledger": left,
        "conflicts": conflicts,
        "relevance_score": score,
        "gaps": ledger.gaps(questions, left, conflicts, state["tried"], threshold),
        "stop_reason": _reason_left(state, conflicts, score, instead),
    }


def _reason_left(
    state: RAGState, conflicts: Sequence[Disagreement], score: float, instead: StopReason
) -> StopReason | None:
    """The stop reason as far as it still holds: what is enough, and what is in conflict, may have changed."""
    reason = state["stop_reason"]
    required = {question["id"] for question in state["sub_questions"] if question["required"]}
    disputed = any(conflict["sub_question_id"] in required for conflict in conflicts)
    if reason == "conflict" and not disputed:
        return "sufficient" if score >= state["dials"]["threshold"] else instead
    if reason == "sufficient" and score < state["dials"]["threshold"]:
        return "conflict" if disputed else instead
    return reason


def usable(state: RAGState) -> list[Evidence]:
    """The evidence an answer may rest on: all sides of a conflict, and that of the confirmed sub-questions, best first,
    without what is superseded.

    Each brings up to four chunks that none before it brought: those at the threshold, and where that is fewer than two,
    the best that are only partly related.
    """
    threshold = state["dials"]["threshold"]
    established = ledger.confirmed(state["sub_questions"], state["ledger"], state["conflicts"], threshold)
    ids = {question["id"] for question in established}
    chosen: list[Evidence] = [side for conflict in state["conflicts"] for side in _sides(conflict, state)]
    for entry in (entry for entry in state["ledger"] if entry["sub_question_id"] in ids):
        known = {evidence["chunk_id"] for evidence in chosen}
        again = [evidence for evidence in ledger.weighing(entry) if evidence["chunk_id"] in known]
        new = [evidence for evidence in ledger.weighing(entry) if evidence["chunk_id"] not in known]
        strong = sum(evidence["grade"]["score"] >= threshold for evidence in new)
        chosen += again + new[: min(max(strong, SOURCES_AT_LEAST), SOURCES_AT_MOST)]
    return chosen


def _sides(conflict: Disagreement, state: RAGState) -> list[Evidence]:
    """The sides of a conflict that the ledger still holds."""
    held = {e["chunk_id"] for entry in state["ledger"] for e in entry["evidence"]}
    return [side for side in conflict["sides"] if side["chunk_id"] in held]


def numbered(evidence: Sequence[Evidence], passages: Mapping[str, Passage]) -> tuple[Source, ...]:
    """One source a chunk that is among the passages, numbered from 1 in the order of the evidence."""
    return tuple(
        Source(
            number=number,
            passage=passages[chunk_id],
            sub_question_ids=tuple(e["sub_question_id"] for e in evidence if e["chunk_id"] == chunk_id),
            grade=max(e["grade"]["score"] for e in evidence if e["chunk_id"] == chunk_id),
            quotes=tuple(dict.fromkeys(e["quote"] for e in evidence if e["chunk_id"] == chunk_id)),
        )
        for number, chunk_id in enumerate(_chunks(evidence, passages), start=1)
    )


def citation(source: Source, evidence: Sequence[Evidence]) -> Citation:
    """The source as the reply names it, with the quote of its best grade."""
    best = max((e for e in evidence if e["chunk_id"] == source.passage.chunk_id), key=lambda e: e["grade"]["score"])
    start, end = locate(best["quote"], source.passage.text) or (best["start"], best["end"])
    cited: Citation = {
        "number": source.number,
        "doc_id": best["doc_id"],
        "version": best["version"],
        "chunk_id": best["chunk_id"],
        "title": best["title"],
        "quote": best["quote"],
        "start": start,
        "end": end,
    }
    if also_in := best.get("also_in"):
        cited["also_in"] = also_in
    return cited


def _chunks(evidence: Sequence[Evidence], passages: Mapping[str, Passage]) -> list[str]:
    """Each once, in the order of the evidence."""
    return [one for one in dict.fromkeys(e["chunk_id"] for e in evidence) if one in passages]


def _disputes(state: RAGState, sources: Sequence[Source]) -> tuple[Dispute, ...]:
    by_chunk = {source.passage.chunk_id: source.number for source in sources}
    by_question = {
        conflict["sub_question_id"]: [s.number for s in sources if conflict["sub_question_id"] in s.sub_question_ids]
        for conflict in state["conflicts"]
    }
    return disputes(state["conflicts"], by_chunk, by_question)


def _fitting(
    evidence: Sequence[Evidence], passages: Mapping[str, Passage], state: RAGState, window: int | None
) -> dict[str, Passage]:
    """What the model has room for, in the order of the evidence."""
    best = [passages[chunk_id] for chunk_id in _chunks(evidence, passages)]
    fit = fitted(best, room(state, window) if window else None)
    if fit.left_out:
        _log.warning("%d sources found no room in the context window and were left out of the answer", fit.left_out)
    return {passage.chunk_id: replace(passage, text=text) for passage, text in fit.shown}
