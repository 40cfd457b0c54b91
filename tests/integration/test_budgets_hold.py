"""Whatever calls cost and however they end, no budget is broken and one reason says why the run stopped.

The real graph; a scripted reasoner and a retriever that dawdle, hang or fail; a clock that only their waiting moves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from context.reasoning import (
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
from context.retrieval import Passage, Principal, SearchRequest, SearchResult
from errors import Unavailable
from policy import budget
from policy.decide import status
from policy.modes import WAYS
from state import Dials, Mode, RAGState, StopReason
from tests.fakes.machine import HANG, Ran, run
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import dials
from tests.fakes.time import in_virtual_time

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon"]
PASSAGES = [passage(f"The {word} fee is paid by the {word} office.") for word in WORDS]
DISPUTED = [
    passage(f"The {word} fee is {days} days late.", doc_id=f"{word} {days}") for word in WORDS[:2] for days in (3, 5)
]

LIMITS = st.fixed_dictionaries(
    {
        "max_retries": st.integers(0, 3),
        "max_searches": st.integers(1, 8),
        "max_model_calls": st.integers(1, 12),
        "max_tokens": st.integers(1_000, 40_000),
        "deadline_s": st.sampled_from([2.0, 10.0, 45.0]),
        "max_barren_rounds": st.integers(1, 3),
    }
)
SECONDS = st.sampled_from([*[0.0] * 30, 0.1, 0.5, 1.0, 3.0, 10.0, HANG])
ANSWERING = st.sampled_from([0.0, 0.0, 0.0, 1.0, HANG])
KNOWN = st.sampled_from([PASSAGES[:n] for n in (0, 1, 3, 5, 5, 5)] + [DISPUTED])
SCORES = st.sampled_from([0.1, 0.55, 0.75, 0.95])


@dataclass
class Chance:
    """Draws what happens next, and remembers what it cost."""

    data: st.DataObject
    calls: int = 0
    tokens: int = 0
    worst_error: int = 0
    refused: bool = False

    async def wait(self, seconds: st.SearchStrategy[float] = SECONDS) -> None:
        await asyncio.sleep(self.data.draw(seconds))

    async def call(self, most: int, expected: int) -> tuple[Usage, ...]:
        """A decision that dawdles, hangs or fails, and costs at most what is expected, errors of estimation aside."""
        assert most >= 1, "called without room for a call"
        self.calls += 1
        await self.wait()
        if self.data.draw(st.integers(0, 19)) == 0:
            self.refused = True
            raise Unavailable("The model does not answer.", code="model_down")
        made = self.data.draw(st.integers(1, most))
        self.calls += made - 1
        return self.cost(made, expected)

    def cost(self, calls: int, expected: int) -> tuple[Usage, ...]:
        errors = [self.data.draw(st.sampled_from([0, 0, 0, 0, 0, 5_000])) for _ in range(calls)]
        self.worst_error = max(self.worst_error, sum(errors))
        spent = [self.data.draw(st.integers(0, expected)) + error for error in errors]
        self.tokens += sum(spent)
        return tuple(Usage("m", tokens, 0, estimated=self.data.draw(st.booleans())) for tokens in spent)


@dataclass
class Fickle:
    """A reasoner that keeps to the calls it is allowed."""

    chance: Chance
    name: str = "fickle"
    calls_models: bool = True
    answered: bool = False

    async def route(self, request: RouteRequest) -> Reasoned[Route]:
        usage = await self.chance.call(request.max_calls, DECISION)
        look_up = self.chance.data.draw(st.integers(0, 9)) > 0
        return Reasoned(Route(look_up, "as drawn", request.question), usage)

    async def rewrite(self, request: RewriteRequest) -> Reasoned[Rewrite]:
        usage = await self.chance.call(request.max_calls, DECISION)
        words = self.chance.data.draw(st.lists(st.sampled_from(WORDS), max_size=3))
        parts = tuple((f"who pays {word}", self.chance.data.draw(st.booleans())) for word in words)
        return Reasoned(Rewrite(parts, tuple(ProposedQuery(word, n) for n, word in enumerate(words, 1))), usage)

    async def grade(self, request: GradeRequest) -> Reasoned[tuple[Judgement, ...]]:
        usage = await self.chance.call(request.max_calls, DECISION)
        return Reasoned(tuple(self._graded(request)), usage)

    async def answer(self, request: AnswerRequest) -> AsyncIterator[str | Usage]:
        self.chance.calls += 1
        self.answered = True
        sentences = [f"{source.passage.text[:-1]} [{source.number}]. " for source in request.sources] or ["Hello."]
        for sentence in sentences:
            await self.chance.wait(ANSWERING)
            yield sentence
        for one in self.chance.cost(1, ANSWER):
            yield one

    def _graded(self, request: GradeRequest) -> Sequence[Judgement]:
        scores = [(q["id"], p, self.chance.data.draw(SCORES)) for q in request.sub_questions for p in request.passages]
        return [Judgement(q, p.chunk_id, p.text, "as drawn", band_of(score), score) for q, p, score in scores]


DECISION = budget.PROMPT_TOKENS + budget.DECISION_TOKENS
ENOUGH_FOR_AN_ANSWER = 5_000
ANSWER = budget.PROMPT_TOKENS + budget.ANSWER_TOKENS


class Dawdling(MemoryRetriever):
    """A retriever that dawdles, hangs, or loses its lane."""

    def __init__(self, passages: Sequence[Passage], chance: Chance) -> None:
        super().__init__(passages)
        self.chance = chance

    async def search(self, request: SearchRequest) -> SearchResult:
        await self.chance.wait()
        lost = self.chance.data.draw(st.integers(0, 9)) == 0
        self.failing = set(request.queries) if lost else set()
        return await super().search(request)

    async def read(self, chunk_ids: Sequence[str], principal: Principal) -> dict[str, Passage]:
        await self.chance.wait()
        return await super().read(chunk_ids, principal)

    async def count(self, principal: Principal, filters: dict[str, Any] | None) -> int:
        await self.chance.wait()
        return await super().count(principal, filters)

    async def fields(self, principal: Principal) -> Mapping[str, Collection[str | int | float]]:
        await self.chance.wait()
        return await super().fields(principal)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(LIMITS, KNOWN, st.data())
def test_no_budget_is_broken_and_one_reason_says_why_it_stopped(
    low: dict[str, Any], passages: list[Passage], data: st.DataObject
) -> None:
    holds(dials(**low), passages, Chance(data))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(LIMITS, KNOWN, st.sampled_from([mode for mode, way in WAYS.items() if not way.rounds]), st.data())
def test_nor_is_one_broken_in_one_pass(
    low: dict[str, Any], passages: list[Passage], mode: Mode, data: st.DataObject
) -> None:
    holds(dials(**low), passages, Chance(data), mode)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.integers(1, 3), st.data())
def test_sources_that_disagree_end_in_one_reason_too(retries: int, data: st.DataObject) -> None:
    holds(dials(max_retries=retries), DISPUTED, Chance(data))


def holds(limits: Dials, passages: list[Passage], chance: Chance, mode: Mode = "loop") -> None:
    """One run as chance has it keeps every budget and stops for one reason."""
    retriever = Dawdling(passages, chance)
    reasoner = Fickle(chance)
    try:
        ran = in_virtual_time(lambda clock: run(reasoner, retriever, limits, clock, mode=mode))
    except Unavailable:
        assert chance.refused, "only a reasoner that is down may end in an error"
        return
    event(str(ran.state["stop_reason"]))
    event(f"{ran.state['stop_reason']} in conflict: {bool(ran.state['conflicts'])}, round {ran.state['retry_count']}")
    within_budget(ran, limits, chance)
    stopped_for_one_reason(ran.state, limits)
    stopped_as_its_mode_does(ran.state)
    assert "".join(ran.said) == ran.state["answer"]
    # What was kept back for the answer is there when it comes to it, unless a call cost more than anyone foresaw.
    if ran.state["citations"] and not chance.worst_error and limits["max_tokens"] >= ENOUGH_FOR_AN_ANSWER:
        assert reasoner.answered


def within_budget(ran: Ran, limits: Dials, chance: Chance) -> None:
    spent = ran.state["spent"]
    assert spent["searches"] <= limits["max_searches"]
    assert chance.calls <= spent["model_calls"] <= limits["max_model_calls"]
    assert spent["barren_rounds"] <= limits["max_barren_rounds"]
    assert ran.state["retry_count"] <= (limits["max_retries"] if WAYS[ran.state["mode"]].rounds else 0)
    assert spent["searches"] <= 1 or WAYS[ran.state["mode"]].plans
    assert chance.tokens <= budget.tokens_spent(spent) <= limits["max_tokens"] + chance.worst_error
    assert ran.seconds <= limits["deadline_s"] + 0.001


def stopped_as_its_mode_does(state: RAGState) -> None:
    """In one pass nothing that rounds have ends it; only there a pass is all there is."""
    of_rounds = ("no_new_evidence", "max_retries", "conflict")
    assert state["stop_reason"] not in (("single_pass",) if WAYS[state["mode"]].rounds else of_rounds)


def stopped_for_one_reason(state: RAGState, limits: Dials) -> None:
    """By the table of DESIGN section 5, read anew from the final state."""
    reason = state["stop_reason"]
    assert reason in get_args(StopReason)
    best = {
        q["id"]: max(
            (e["grade"]["score"] for x in state["ledger"] if x["sub_question_id"] == q["id"] for e in x["evidence"]),
            default=0.0,
        )
        for q in state["sub_questions"]
        if q["required"]
    }
    for conflict in state["conflicts"]:
        assert len(conflict["sides"]) >= 2
        if conflict["sub_question_id"] in best:
            best[conflict["sub_question_id"]] = 0.0
    disputed = [c for c in state["conflicts"] if c["sub_question_id"] in best]
    enough = bool(best) and all(score >= limits["threshold"] for score in best.values())
    some = any(score >= limits["threshold"] for score in best.values())
    told = some or bool(disputed)
    lost = bool(state["lanes"]) and all(lane["error"] for lane in state["lanes"])
    if not state["need_retrieval"]:
        assert reason in ("direct", "deadline")
    elif state["visible_chunks"] == 0:
        assert reason == "empty_corpus"
    elif enough:
        assert reason in ("sufficient", "source_unavailable", "deadline")
    elif state["spent"]["barren_rounds"] == limits["max_barren_rounds"] and WAYS[state["mode"]].rounds:
        assert reason in ("no_new_evidence", "source_unavailable", "conflict", "deadline")
    assert reason != "source_unavailable" or lost or told
    if reason == "conflict":
        assert any(conflict["round"] < state["retry_count"] for conflict in disputed)
    by_reason = {
        "conflict": "partial",
        "direct": "answered",
        "sufficient": "answered",
        "empty_corpus": "insufficient",
        "source_unavailable": "partial" if told else "failed",
    }
    assert status(state) == by_reason.get(str(reason), "partial" if told else "insufficient")
