"""A quick answer from the first hits, which nobody has judged: what it says, and what it costs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from context.reasoning import AnswerRequest, Source, Usage
from context.retrieval import Passage
from context.run import Context
from nodes.bounded import GRADING, call_cost, within
from nodes.speaking import broken_off, ground
from nodes.speech import Answer, Speech
from policy import budget
from policy.account import NOTHING, Account, Cost
from policy.modes import WAYS
from policy.window import fitted
from state import Citation, Dials, Mode, RAGState

SOURCES: Final = 3
"""Hits that a draft rests on, those ranked first."""
PASSAGE_TOKENS: Final = 2_000
QUESTION_TOKENS: Final = 200
COST: Final = Cost(model_calls=1, tokens=budget.PROMPT_TOKENS + QUESTION_TOKENS + PASSAGE_TOKENS + budget.ANSWER_TOKENS)
DECISION: Final = Cost(model_calls=1, tokens=budget.PROMPT_TOKENS + budget.DECISION_TOKENS)


@dataclass(frozen=True)
class Drafted:
    """A draft that was finished in time, with its own numbered citations."""

    text: str
    citations: tuple[Citation, ...]


def share(context: Context, dials: Dials, mode: Mode) -> Cost | None:
    """What is kept for a draft from an ask's budget, None when that has no room for one.

    Beside the answer it leaves room for the route, the rewrite of a mode that has one, and grading: it must not cost
    what it precedes.
    """
    if not context.reasoner.calls_models:
        return NOTHING
    decisions = DECISION.times(2 if WAYS[mode].plans else 1)
    keep = Cost(model_calls=1, tokens=budget.generate_tokens(dials)) + decisions + GRADING
    return None if Account(budget.nothing_spent(), dials).lacks(COST, keep) else COST


class Draft:
    """Written once, from the state after the first retrieval; `usage` tells at any time what it has cost."""

    def __init__(self, state: RAGState, context: Context) -> None:
        self._state = state
        self._context = context
        self._speech: Speech | None = None
        self._cost = NOTHING
        self._whole = False

    async def write(self) -> Drafted | None:
        """The draft; None when there is nothing to say, no room to say it, a part has no source, or time is over."""
        sources = _numbered(await self._read())
        self._cost = self._expected(sources)
        if not sources or self._cost.tokens > COST.tokens or self._seconds() <= 0:
            return None
        answer = await self._spoken(sources)
        if not self._whole or not answer.cited or answer.removed:
            return None
        cited = [source.passage for source in sources if source.number in answer.cited]
        numbers = [source.number for source in sources if source.number in answer.cited]
        return Drafted(answer.text, tuple(map(_citation, numbers, cited)))

    @property
    def usage(self) -> tuple[Usage, ...]:
        """What the provider said; of a draft that was broken off, an estimate."""
        if self._speech is None:
            return ()
        if self._speech.usage or self._whole:
            return tuple(self._speech.usage)
        return broken_off(self._context, self._cost, self._speech)

    async def _read(self) -> list[Passage]:
        """The best hits as the asker may see them now, as much of them as a draft has tokens for."""
        ids = [doc["chunk_id"] for doc in self._state["docs"][:SOURCES]]
        read = await within(self._seconds(), self._context.retriever.read(ids, self._context.principal))
        fit = fitted(list((read or {}).values()), PASSAGE_TOKENS)
        return [replace(passage, text=text) for passage, text in fit.shown]

    def _expected(self, sources: tuple[Source, ...]) -> Cost:
        """More than its share only for a very long question."""
        texts = [self._state["standalone"], *(source.passage.text for source in sources)]
        return call_cost(self._context, texts, output=budget.ANSWER_TOKENS)

    def _seconds(self) -> float:
        return budget.time_for_call(self._state, self._context.clock())

    async def _spoken(self, sources: tuple[Source, ...]) -> Answer:
        """What the reasoner says, sentence by sentence with its citations checked; none of it is sent."""
        asked = f"{self._state['question']}\n{self._state['standalone']}"
        answer = Answer(lambda _: None, self._state["language"], asked)
        pieces = cast("AsyncGenerator[str | Usage, None]", self._context.reasoner.answer(self._request(sources)))
        async with aclosing(pieces):
            self._speech = Speech(pieces, self._seconds())
            grounds = {source.number: ground(source.passage) for source in sources}
            async for sentence in self._speech.sentences():
                await answer.hear(sentence, grounds)
        self._whole = self._speech.cut is None
        return answer

    def _request(self, sources: tuple[Source, ...]) -> AnswerRequest:
        """The question as it stands alone: the thread's history would cost tokens that nobody has reckoned with."""
        state = self._state
        return AnswerRequest(
            question=state["standalone"],
            standalone=state["standalone"],
            language=state["language"],
            history=(),
            route_reason=state["route_reason"],
            sub_questions=tuple(state["sub_questions"]),
            sources=sources,
            gaps=(),
            conflicts=(),
            timeout_s=self._seconds(),
        )


def _numbered(passages: Sequence[Passage]) -> tuple[Source, ...]:
    """One source a passage; ungraded, it passes for one that answers, and speaks for itself."""
    return tuple(Source(number, passage, (), 1.0, (passage.text,)) for number, passage in enumerate(passages, start=1))


def _citation(number: int, passage: Passage) -> Citation:
    """The whole passage: no quote in it was found to answer."""
    known: dict[str, Any] = {name: getattr(passage, name) for name in ("doc_id", "version", "chunk_id", "title")}
    return cast(Citation, {"number": number, **known, "quote": passage.text, "start": 0, "end": len(passage.text)})
