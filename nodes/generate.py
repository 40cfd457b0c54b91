"""Say what the evidence supports, with a citation for every fact; or say that it does not."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from langgraph.runtime import Runtime

from context import AnswerRequest, Context, Passage, Source, Usage
from policy import budget, ledger
from policy.citations import checked, unverified
from policy.decide import status
from policy.window import fitted, room
from state import Citation, Evidence, Language, RAGState, Turn, Update
from text.sentences import sentences

_log = logging.getLogger(__name__)

NOT_FOUND: Final[dict[Language, str]] = {
    "zh": "根据现有资料无法回答该问题。",
    "en": "The available documents do not answer this question.",
}
EMPTY_CORPUS: Final[dict[Language, str]] = {
    "zh": "没有可供查阅的资料：知识库为空，或筛选条件没有匹配到任何文档。",
    "en": "There is nothing to search: the knowledge base is empty, or the filter matches no document.",
}
UNVERIFIED: Final[dict[Language, str]] = {
    "zh": "（引用的资料中没有：{numbers}）",
    "en": " (not in the cited sources: {numbers})",
}
SOURCES_AT_LEAST: Final = 2
SOURCES_AT_MOST: Final = 4
"""New sources that one sub-question brings to the answer."""


async def generate(state: RAGState, runtime: Runtime[Context]) -> Update:
    """Stream the answer sentence by sentence, each with its citations checked, and close the turn.

    A turn whose every lane was lost says nothing: that nothing was found would be an answer, and a wrong one.
    """
    context = runtime.context
    if status(state) == "failed":
        return {}
    ids = list(dict.fromkeys(e["chunk_id"] for entry in state["ledger"] for e in entry["evidence"]))
    passages = await context.retriever.read(ids, context.principal)
    gone = without_gone(state, set(ids) - set(passages))
    state = {**state, **gone}
    evidence = usable(state)
    sources = numbered(evidence, _fitting(evidence, passages, state, context.windows.answer))
    usage: list[Usage] = []
    said: list[str] = []
    cited: set[int] = set()
    async for sentence in whole_sentences(_speech(state, context, sources), usage):
        text, numbers = checked(sentence, {source.number for source in sources})
        text += doubt(text, numbers, sources, state)
        runtime.stream_writer({"type": "token", "text": text})
        said.append(text)
        cited.update(numbers)
    turn: Turn = {"question": state["question"], "standalone": state["standalone"], "answer": "".join(said)}
    return {
        **gone,
        "answer": turn["answer"],
        "citations": [citation(source, evidence) for source in sources if source.number in cited],
        "spent": budget.settle(state["spent"], usage),
        "history": [turn],
    }


def doubt(sentence: str, cited: Sequence[int], sources: tuple[Source, ...], state: RAGState) -> str:
    """A remark after a sentence with a number that its sources lack, empty otherwise.

    A sentence without a citation is held to all sources; what the asker said counts too. Small talk has no sources.
    """
    grounds = [ground(source.passage) for source in sources if not cited or source.number in cited]
    wrong = unverified(sentence, [*grounds, state["question"], state["standalone"]]) if sources else []
    return UNVERIFIED[state["language"]].format(numbers=", ".join(wrong)) if wrong else ""


def ground(passage: Passage) -> str:
    """All that a citation of the passage may rest on."""
    return f"{passage.title}\n{passage.heading}\n{passage.text}"


def without_gone(state: RAGState, gone: set[str]) -> Update:
    """What changes when evidence was deleted, or is no longer allowed, since it was graded: nothing rests on it."""
    if not gone:
        return {}
    questions, conflicts, threshold = state["sub_questions"], state["conflicts"], state["dials"]["threshold"]
    left = ledger.without(state["ledger"], gone)
    score = ledger.relevance_score(questions, left, conflicts)
    enough = state["stop_reason"] != "sufficient" or score >= threshold
    return {
        "ledger": left,
        "relevance_score": score,
        "gaps": ledger.gaps(questions, left, conflicts, state["tried"], threshold),
        "stop_reason": state["stop_reason"] if enough else "no_new_evidence",
    }


def usable(state: RAGState) -> list[Evidence]:
    """The evidence an answer may rest on: of the confirmed sub-questions, best first.

    Each brings up to four chunks that none before it brought: those at the threshold, and where that is fewer than two,
    the best that are only partly related.
    """
    threshold = state["dials"]["threshold"]
    established = ledger.confirmed(state["sub_questions"], state["ledger"], state["conflicts"], threshold)
    ids = {question["id"] for question in established}
    chosen: list[Evidence] = []
    for entry in (entry for entry in state["ledger"] if entry["sub_question_id"] in ids):
        known = {evidence["chunk_id"] for evidence in chosen}
        again = [evidence for evidence in entry["evidence"] if evidence["chunk_id"] in known]
        new = [evidence for evidence in entry["evidence"] if evidence["chunk_id"] not in known]
        strong = sum(evidence["grade"]["score"] >= threshold for evidence in new)
        chosen += again + new[: min(max(strong, SOURCES_AT_LEAST), SOURCES_AT_MOST)]
    return chosen


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


async def whole_sentences(pieces: AsyncIterator[str | Usage], usage: list[Usage]) -> AsyncIterator[str]:
    """Regroup streamed pieces so that each sentence comes whole; what calls cost is put into `usage`."""
    pending = ""
    async for piece in pieces:
        if isinstance(piece, Usage):
            usage.append(piece)
            continue
        pending += piece
        ends = [end for _, end in sentences(pending)][:-1]
        for start, end in pairwise([0, *ends]):
            yield pending[start:end]
        pending = pending[ends[-1] :] if ends else pending
    if pending:
        yield pending


def citation(source: Source, evidence: Sequence[Evidence]) -> Citation:
    """The source as the reply names it, with the quote of its best grade."""
    best = max((e for e in evidence if e["chunk_id"] == source.passage.chunk_id), key=lambda e: e["grade"]["score"])
    return {
        "number": source.number,
        "doc_id": best["doc_id"],
        "version": best["version"],
        "chunk_id": best["chunk_id"],
        "title": best["title"],
        "quote": best["quote"],
        "start": best["start"],
        "end": best["end"],
    }


def _chunks(evidence: Sequence[Evidence], passages: Mapping[str, Passage]) -> list[str]:
    """Each once, in the order of the evidence."""
    return [one for one in dict.fromkeys(e["chunk_id"] for e in evidence) if one in passages]


def _fitting(
    evidence: Sequence[Evidence], passages: Mapping[str, Passage], state: RAGState, window: int | None
) -> dict[str, Passage]:
    """What the model has room for, in the order of the evidence."""
    best = [passages[chunk_id] for chunk_id in _chunks(evidence, passages)]
    fit = fitted(best, room(state, window) if window else None)
    if fit.left_out:
        _log.warning("%d sources found no room in the context window and were left out of the answer", fit.left_out)
    return {passage.chunk_id: replace(passage, text=text) for passage, text in fit.shown}


def _speech(state: RAGState, context: Context, sources: tuple[Source, ...]) -> AsyncIterator[str | Usage]:
    """The reasoner's answer where there is something to say, otherwise the fixed sentence and no model call."""
    if state["stop_reason"] == "empty_corpus":
        return _fixed(EMPTY_CORPUS[state["language"]])
    if state["stop_reason"] != "direct" and not sources:
        return _fixed(NOT_FOUND[state["language"]])
    return context.reasoner.answer(
        AnswerRequest(
            question=state["question"],
            standalone=state["standalone"],
            language=state["language"],
            history=tuple(state["history"]),
            route_reason=state["route_reason"],
            sub_questions=tuple(state["sub_questions"]),
            sources=sources,
            gaps=tuple(state["gaps"]),
            conflicts=tuple(state["conflicts"]),
            timeout_s=max(0.1, budget.time_left(state, context.clock())),
        )
    )


async def _fixed(sentence: str) -> AsyncIterator[str | Usage]:
    yield sentence
