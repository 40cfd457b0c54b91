"""Every edge of the machine and every reason to stop, each driven by a scripted reasoner (DESIGN, sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from context.reasoning import GradeRequest, ProposedQuery, Reasoned, Rewrite, RewriteRequest, Route, Usage
from errors import BadRequest, Unavailable
from nodes.bounded import SLACK_S
from nodes.generate import EMPTY_CORPUS, NOT_FOUND
from nodes.speaking import TOO_LATE
from policy import budget
from policy.closing import CUT, EXCERPTS
from policy.decide import status
from tests.fakes.machine import GRAPH, Hanging, Ran, ask, hang
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.service import grading, scripted

PAYS = passage("The manager pays the repair fee.", doc_id="fees")
KEPT = passage("The footage is kept for 30 days.", doc_id="footage")
BOTH = (PAYS, KEPT)
MANY = (*BOTH, *(passage(f"The footage of camera {name} is kept.", doc_id=name) for name in ("one", "two", "three")))
CHECKLIST = (("who pays the fee", True), ("how long is footage kept", True))
DOWN = Unavailable("The model does not answer.", code="model_down")
WHOLE = ["start:route", "route:rewrite", "rewrite:retrieve", "retrieve:evaluate", "evaluate:generate"]


REPLY = {"text": "The owners.", "name": "", "run_id": "r", "asked_at": 0.0}


def told(ran: Ran) -> tuple[str | None, str]:
    return ran.state["stop_reason"], status(ran.state)


def half(request: GradeRequest) -> Any:
    """Only the first sub-question is ever answered."""
    return grading(lambda _: 0.95)(request)[:1] if request.sub_questions[0]["id"] == "q1" else ()


def two_parts(**scripts: Any) -> ScriptedReasoner:
    """A checklist of two, of which evaluation confirms the first; new queries in every round."""
    count = iter(range(1, 100))

    def rewrite(request: RewriteRequest) -> Rewrite:
        return Rewrite(CHECKLIST, (ProposedQuery(f"footage {'kept ' * next(count)}", 2),))

    return scripted(**{"rewrite": rewrite, "grade": half, "answer": lambda request: PAID, **scripts})


PAID = "The manager pays the repair fee [1]."


CUT_OFF = {
    "unsearched": "Stopped before anything was searched: the time was up.",
    "unread": "Stopped before the documents could be read: the time was up.",
}


def missing(ran: Ran) -> list[str]:
    return [gap["text"] for gap in ran.state["gaps"]]


def edges(ran: Ran) -> list[str]:
    return [f"{source}:{target}" for source, target in pairwise(["start", *ran.nodes])]


def costing(tokens: int) -> tuple[Usage, ...]:
    return (Usage("m", tokens, 0, estimated=False),)


def test_direct() -> None:
    ran = ask(scripted(route=[Route(False, "greeting", "hello")], answer=["Hello!"]), MemoryRetriever(BOTH), "hello")
    assert told(ran) == ("direct", "answered")
    assert edges(ran) == ["start:route", "route:generate"]
    assert (ran.state["answer"], ran.state["citations"]) == ("Hello!", [])


def test_empty_corpus() -> None:
    ran = ask(scripted(), MemoryRetriever())
    assert told(ran) == ("empty_corpus", "insufficient")
    assert edges(ran) == ["start:route", "route:generate"]
    assert ran.state["answer"] == EMPTY_CORPUS["en"]


def test_sufficient() -> None:
    ran = ask(scripted(), MemoryRetriever(BOTH))
    assert told(ran) == ("sufficient", "answered")
    assert edges(ran) == WHOLE


def test_source_unavailable_with_nothing_confirmed() -> None:
    ran = ask(scripted(), AllLanesLost(after=0))
    assert told(ran) == ("source_unavailable", "failed")
    assert (ran.said, ran.state["answer"], ran.state["history"]) == ([], "", [])


def test_source_unavailable_with_a_part_confirmed() -> None:
    ran = ask(two_parts(), AllLanesLost(after=1))
    assert told(ran) == ("source_unavailable", "partial")
    assert ran.state["answer"].startswith(PAID)
    assert "evaluate:rewrite" in edges(ran)


class AllLanesLost(MemoryRetriever):
    """Loses its only lane after some searches."""

    def __init__(self, after: int) -> None:
        super().__init__(BOTH)
        self._left = after

    async def search(self, request: Any) -> Any:
        self._left -= 1
        self.failing = set(request.queries) if self._left < 0 else set()
        return await super().search(request)


def test_conflict_after_its_one_round() -> None:
    sides = [passage(f"The fee is {sum_} yuan.", doc_id=str(sum_)) for sum_ in (300, 500)]
    ran = ask(scripted(), MemoryRetriever(sides), "what is the fee")
    assert told(ran) == ("conflict", "partial")
    assert edges(ran) == [*WHOLE[:-1], "evaluate:rewrite", *WHOLE[2:]]
    assert {c["doc_id"] for c in ran.state["citations"]} == {"300", "500"}


def test_no_new_evidence_when_every_query_was_tried() -> None:
    same = Rewrite((("who pays the fee", True),), (ProposedQuery("repair fee", 1),))
    ran = ask(scripted(score=0.1, rewrite=lambda request: same), MemoryRetriever(BOTH))
    assert told(ran) == ("no_new_evidence", "insufficient")
    assert edges(ran)[-1] == "rewrite:generate"
    assert ran.state["answer"] == NOT_FOUND["en"]


def test_no_new_evidence_after_barren_rounds() -> None:
    ran = ask(scripted(score=0.1), MemoryRetriever(BOTH))
    assert told(ran) == ("no_new_evidence", "insufficient")
    assert ran.state["spent"]["barren_rounds"] == 2
    assert edges(ran)[-1] == "evaluate:generate"


def test_max_retries() -> None:
    ran = ask(two_parts(), MemoryRetriever(BOTH), max_retries=1)
    assert told(ran) == ("max_retries", "partial")
    assert ran.state["retry_count"] == 1


def test_call_budget_of_searches() -> None:
    ran = ask(two_parts(), MemoryRetriever(BOTH), max_searches=2, max_barren_rounds=9)
    assert told(ran) == ("call_budget", "partial")
    assert ran.state["spent"]["searches"] == 2


@pytest.mark.parametrize(("calls", "rounds"), [(4, 0), (5, 0), (6, 1)])
def test_call_budget_of_model_calls_begins_no_round_that_it_cannot_judge(calls: int, rounds: int) -> None:
    reasoner = two_parts(usage=costing(10), answer=lambda request: [PAID, *costing(10)])
    ran = ask(reasoner, MemoryRetriever(BOTH), max_model_calls=calls, max_barren_rounds=9)
    assert told(ran) == ("call_budget", "partial")
    assert (ran.state["retry_count"], reasoner.calls[-1]) == (rounds, "answer")
    assert ran.state["spent"]["model_calls"] == len(reasoner.calls) <= calls


@pytest.mark.parametrize(
    ("calls", "made"),
    [
        (3, ["route", "grade", "answer"]),
        (2, ["grade", "answer"]),
        (1, []),
    ],
)
def test_with_few_calls_left_judging_and_answering_come_first(calls: int, made: list[str]) -> None:
    reasoner = scripted(usage=costing(10), answer=lambda request: [PAID, *costing(10)])
    ran = ask(reasoner, MemoryRetriever(BOTH), max_model_calls=calls)
    assert reasoner.calls == made
    assert told(ran) == (("sufficient", "answered") if made else ("call_budget", "insufficient"))


def test_token_budget() -> None:
    reasoner = two_parts(usage=costing(6_000), answer=lambda request: [PAID, *costing(1_000)])
    ran = ask(reasoner, MemoryRetriever(BOTH), max_tokens=25_000)
    assert told(ran) == ("token_budget", "partial")
    assert budget.tokens_spent(ran.state["spent"]) <= 25_000
    assert reasoner.calls[-1] == "answer"


def test_a_call_that_does_not_fit_the_tokens_left_is_not_made() -> None:
    reasoner = two_parts(usage=costing(0))
    ran = ask(reasoner, MemoryRetriever([passage("footage kept " * 3_000)]), max_tokens=12_000)
    assert told(ran) == ("token_budget", "insufficient")
    assert "grade" not in reasoner.calls
    assert ran.state["answer"] == "Stopped before the documents could be read: the tokens allowed did not suffice."
    assert missing(ran) == [text for text, _ in CHECKLIST]


def test_a_budget_that_ends_a_search_of_nothing_is_said_to_have_found_nothing() -> None:
    empty = ask(two_parts(), Nowhere(BOTH), max_searches=1)
    assert told(empty) == ("call_budget", "insufficient")
    assert empty.state["answer"] == NOT_FOUND["en"]


class Nowhere(MemoryRetriever):
    """Finds nothing for any query."""

    async def search(self, request: Any) -> Any:
        return replace(await super().search(request), docs=())


@pytest.mark.parametrize(("kind", "how"), [("route", "unsearched"), ("rewrite", "unsearched"), ("grade", "unread")])
def test_deadline_when_the_reasoner_hangs(kind: str, how: str) -> None:
    hanging: dict[str, Any] = {kind: hang}
    ran = ask(scripted(**hanging), MemoryRetriever(BOTH))
    assert told(ran) == ("deadline", "insufficient")
    assert (ran.state["answer"], ran.state["citations"]) == (CUT_OFF[how], [])
    assert missing(ran) == ["who pays the fee"]
    assert ran.seconds == pytest.approx(45 * 0.75, abs=SLACK_S + 0.001)
    assert ran.state["spent"]["estimated"]["input_tokens"] > 0


@pytest.mark.parametrize(("door", "how"), [("count", "unsearched"), ("search", "unread"), ("read", "unread")])
def test_deadline_when_the_retriever_hangs(door: str, how: str) -> None:
    ran = ask(scripted(), Hanging(BOTH, door, 1))
    assert told(ran) == ("deadline", "insufficient")
    assert ran.seconds == pytest.approx(45 * 0.75)
    assert ran.state["answer"] == CUT_OFF[how]
    assert missing(ran) == ["who pays the fee"]


def test_fields_that_hang_cost_the_proposed_filter_and_not_the_search() -> None:
    ran = ask(scripted(), Hanging(BOTH, "fields"))
    assert told(ran) == ("sufficient", "answered")
    assert ran.state["proposed_filter"] is None


@pytest.mark.parametrize(
    ("reasoner", "retriever"),
    [
        (lambda: two_parts(grade=[half, hang]), lambda: MemoryRetriever(MANY)),
        (lambda: two_parts(rewrite=[Rewrite(CHECKLIST, ()), hang]), lambda: MemoryRetriever(BOTH)),
        (two_parts, lambda: Hanging(BOTH, "search", 2)),
    ],
)
def test_a_hang_in_a_later_round_keeps_what_is_established(
    reasoner: Callable[[], ScriptedReasoner], retriever: Callable[[], MemoryRetriever]
) -> None:
    ran = ask(reasoner(), retriever())
    assert told(ran) == ("deadline", "partial")
    assert ran.state["answer"].startswith(PAID)
    assert ran.seconds <= 45


def test_evidence_that_cannot_be_read_any_more_is_not_shown() -> None:
    ran = ask(scripted(), Hanging(BOTH, "read", 2))
    assert told(ran) == ("deadline", "insufficient")
    assert (ran.state["answer"], ran.state["relevance_score"]) == (CUT_OFF["unread"], 0.0)


class Hesitant(ScriptedReasoner):
    """Hangs after some pieces of its answer."""

    def __init__(self, like: ScriptedReasoner, *pieces: str) -> None:
        self.__dict__ = like.__dict__
        self._pieces = pieces

    async def answer(self, request: Any) -> Any:
        for piece in self._pieces:
            yield piece
        await hang()


def test_an_answer_that_overruns_is_cut_at_the_last_checked_sentence() -> None:
    ran = ask(Hesitant(scripted(), PAID, " Moreover, it is"), MemoryRetriever(BOTH))
    assert told(ran) == ("deadline", "partial")
    assert ran.state["answer"] == f"{PAID}\n{CUT['en']}"
    assert ran.seconds == pytest.approx(45)
    assert ran.state["spent"]["estimated"]["output_tokens"] > 0


def test_an_answer_that_never_begins_becomes_excerpts() -> None:
    ran = ask(Hesitant(scripted()), MemoryRetriever([PAYS]))
    assert told(ran) == ("deadline", "partial")
    assert ran.state["answer"] == f"{EXCERPTS['en']}\n{PAID}"
    assert [c["doc_id"] for c in ran.state["citations"]] == ["fees"]


def test_a_greeting_that_never_begins_says_that_time_ran_out() -> None:
    ran = ask(Hesitant(scripted(route=[Route(False, "greeting", "hello")])), MemoryRetriever(BOTH), "hello")
    assert told(ran) == ("deadline", "insufficient")
    assert ran.state["answer"] == TOO_LATE["en"]


@pytest.mark.parametrize("error", [DOWN, BadRequest("Too long.", code="model_context")])
def test_an_answer_that_cannot_be_given_becomes_excerpts(error: Exception) -> None:
    ran = ask(scripted(answer=lambda request: error), MemoryRetriever([PAYS]))
    assert told(ran) == ("sufficient", "answered")
    assert ran.state["answer"] == f"{EXCERPTS['en']}\n{PAID}"


def test_an_answer_that_breaks_off_goes_on_with_what_it_did_not_cite() -> None:
    ran = ask(two_parts(grade=grading(0.95), answer=lambda request: [PAID, " And", DOWN]), MemoryRetriever(BOTH))
    assert told(ran) == ("sufficient", "answered")
    assert ran.state["answer"] == f"{PAID}\n{EXCERPTS['en']}\nThe footage is kept for 30 days [2]."


def test_a_reasoner_that_is_down_is_an_error_while_nothing_is_established() -> None:
    down: list[dict[str, Any]] = [{"route": [DOWN]}, {"rewrite": [DOWN]}, {"grade": [DOWN]}]
    for script in down:
        with pytest.raises(Unavailable):
            ask(scripted(**script), MemoryRetriever(BOTH))


@pytest.mark.parametrize("script", [{"grade": [half, DOWN]}, {"rewrite": [Rewrite(CHECKLIST, ()), DOWN]}])
def test_a_reasoner_that_goes_down_later_leaves_what_is_established(script: dict[str, Any]) -> None:
    ran = ask(two_parts(**script), MemoryRetriever(MANY))
    assert told(ran) == ("source_unavailable", "partial")
    assert ran.state["answer"].startswith(PAID)


def test_no_room_left_for_a_model_at_the_answer_gives_excerpts() -> None:
    reasoner = scripted(grade=lambda request: Reasoned(grading(0.95)(request), costing(40_000)))
    ran = ask(reasoner, MemoryRetriever([PAYS]))
    assert told(ran) == ("sufficient", "answered")
    assert ran.state["answer"] == f"{EXCERPTS['en']}\n{PAID}"
    assert reasoner.calls[-1] == "grade"


def test_human() -> None:
    ran = ask(scripted(score=0.1), MemoryRetriever(BOTH), reply=REPLY)
    assert told(ran) == ("human", "answered")
    assert "".join(ran.said) == ran.state["answer"] == "The owners. [1]"


def test_a_person_who_declines_leaves_the_reason_that_was_there() -> None:
    ran = ask(scripted(score=0.1), MemoryRetriever(BOTH), reply=REPLY | {"text": None}, max_retries=0)
    assert told(ran) == ("max_retries", "insufficient")


def test_every_edge_is_driven() -> None:
    same = Rewrite((("who pays the fee", True),), (ProposedQuery("repair fee", 1),))
    runs = [
        ask(scripted(), MemoryRetriever()),
        ask(scripted(), MemoryRetriever(BOTH)),
        ask(scripted(score=0.1, rewrite=lambda request: same), MemoryRetriever(BOTH)),
        ask(scripted(score=0.1, rewrite=lambda request: same), MemoryRetriever(BOTH), reply=REPLY),
        ask(scripted(score=0.1), MemoryRetriever(BOTH), reply=REPLY, max_retries=0),
        ask(scripted(), MemoryRetriever(BOTH), mode="hybrid"),
    ]
    driven = {edge for ran in runs for edge in edges(ran)} | {"generate:end"}
    drawn = {f"{e.source.strip('_')}:{e.target.strip('_')}" for e in GRAPH.get_graph().edges}
    assert driven == drawn
