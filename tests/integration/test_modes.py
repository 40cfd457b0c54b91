"""Each mode's way through the real graph: the nodes, what is searched for and how, why it stops, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from context.reasoning import GradeRequest, ProposedQuery, Reasoned, Rewrite, RewriteRequest, Route, Usage
from context.retrieval import SearchRequest, SearchResult
from errors import Unavailable
from policy.decide import status
from policy.lanes import LANES
from policy.modes import SEARCHES, WAYS
from state import Mode
from tests.fakes.machine import Hanging, ask, hang
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.retriever import MemoryRetriever, passage
from tests.fakes.run import dials
from tests.fakes.service import grading, scripted

QUESTION = "who pays the fee and how long is footage kept"
PARTS = (("who pays the fee", True), ("how long is footage kept", True))
FOUND = [passage(f"The fee {n} is paid and the footage kept {n} days.") for n in range(40)]
SIDES = [passage(f"The fee is {sum_} yuan.", doc_id=str(sum_)) for sum_ in (300, 500)]
SHORT = ["route", "retrieve", "evaluate", "generate"]
PLANNED = ["route", "rewrite", "retrieve", "evaluate", "generate"]
PLAIN = list(SEARCHES)
ONE_PASS: list[Mode] = [*PLAIN, "self_query"]
REPLY = {"text": "The owners.", "name": "", "run_id": "r", "asked_at": 0.0}


def nodes(mode: Mode) -> list[str]:
    return SHORT if mode in SEARCHES else PLANNED


def thinking(**scripts: Any) -> ScriptedReasoner:
    """A checklist of two with a query for each, and new ones in every later round."""
    count = iter(range(1, 100))

    def rewrite(request: RewriteRequest) -> Rewrite:
        again = "again " * next(count) if request.tried else ""
        return Rewrite(PARTS, (ProposedQuery(f"{again}fee paid", 1), ProposedQuery(f"{again}footage days", 2)))

    return scripted(**{"rewrite": rewrite, **scripts})


def shape(request: SearchRequest) -> tuple[Any, ...]:
    return request.lanes, request.rerank, request.reranker, request.rerank_depth, request.top_k


SHAPES: dict[Mode, tuple[Any, ...]] = {
    "bm25": (("keyword",), False, "configured", None, 30),
    "naive": (("vector",), False, "configured", None, 30),
    "bm25_rerank": (("keyword",), True, "embedding", 20, 5),
    "hybrid": (LANES, False, "configured", None, 30),
    "hybrid_rerank": (LANES, True, "configured", None, 30),
    "self_query": (LANES, False, "configured", None, 30),
    "loop": (LANES, False, "configured", None, 30),
}


@pytest.mark.parametrize("mode", WAYS)
def test_the_nodes_and_the_search_of_each_mode(mode: Mode) -> None:
    retriever, reasoner = MemoryRetriever(FOUND), thinking()
    ran = ask(reasoner, retriever, QUESTION, mode=mode)
    (request,) = retriever.requests
    assert ran.nodes == nodes(mode)
    assert shape(request) == SHAPES[mode]
    assert request.queries == ((QUESTION,) if mode in SEARCHES else (QUESTION, "fee paid", "footage days"))
    asked = [QUESTION] if mode in SEARCHES else [text for text, _ in PARTS]
    assert [q["text"] for q in ran.state["sub_questions"]] == asked
    assert (ran.state["mode"], ran.state["stop_reason"], status(ran.state)) == (mode, "sufficient", "answered")
    assert ran.state["citations"]
    assert ran.state["spent"]["searches"] == len(request.queries)


@pytest.mark.parametrize("mode", WAYS)
def test_a_configured_reranker_serves_the_modes_that_think_and_those_that_rerank(mode: Mode) -> None:
    retriever = MemoryRetriever(FOUND)
    retriever.reranker_name = "bge"
    ask(thinking(), retriever, QUESTION, mode=mode)
    by = {one.rerank: one.reranker for one in retriever.requests}
    assert by == (
        {True: "embedding"}
        if mode == "bm25_rerank"
        else {mode in ("hybrid_rerank", "self_query", "loop"): "configured"}
    )


def test_the_mode_keeps_no_more_hits_than_the_dial_says() -> None:
    for top_k, kept in ((3, 3), (50, 5)):
        retriever = MemoryRetriever(FOUND)
        ask(thinking(), retriever, QUESTION, mode="bm25_rerank", top_k=top_k)
        assert [request.top_k for request in retriever.requests] == [kept]


@pytest.mark.parametrize("weight", ["keyword_weight", "vector_weight"])
def test_a_lane_without_weight_counts_where_it_is_alone(weight: str) -> None:
    retriever = MemoryRetriever(FOUND)
    without: dict[str, Any] = {weight: 0.0}
    ask(thinking(), retriever, QUESTION, mode="bm25" if weight == "keyword_weight" else "naive", **without)
    assert [list((request.weights or {}).values()) for request in retriever.requests] == [[1.0]]


@pytest.mark.parametrize("mode", ONE_PASS)
def test_an_open_checklist_ends_after_one_pass(mode: Mode) -> None:
    ran = ask(thinking(score=0.6), MemoryRetriever(FOUND), QUESTION, mode=mode)
    assert (ran.nodes, ran.state["stop_reason"]) == (nodes(mode), "single_pass")
    assert status(ran.state) == "insufficient"
    assert len(ran.state["gaps"]) == len(ran.state["sub_questions"])


def test_self_query_may_answer_a_part() -> None:
    def half(request: GradeRequest) -> Any:
        return [judged for judged in grading(0.95)(request) if judged.sub_question_id == "q1"]

    ran = ask(thinking(grade=half), MemoryRetriever(FOUND), QUESTION, mode="self_query")
    assert (ran.state["stop_reason"], status(ran.state)) == ("single_pass", "partial")
    assert [gap["text"] for gap in ran.state["gaps"]] == ["how long is footage kept"]


@pytest.mark.parametrize("limit", [{"max_barren_rounds": 1}, {"max_retries": 0}, {"max_searches": 1}])
@pytest.mark.parametrize("mode", ONE_PASS)
def test_no_limit_of_rounds_takes_the_place_of_the_mode(mode: Mode, limit: dict[str, Any]) -> None:
    ran = ask(thinking(score=0.1), MemoryRetriever(FOUND), QUESTION, mode=mode, **limit)
    assert ran.state["stop_reason"] == "single_pass"


def test_a_conflict_has_no_round_and_both_sides_are_shown() -> None:
    ran = ask(scripted(), MemoryRetriever(SIDES), "what is the fee", mode="hybrid")
    assert (ran.nodes, ran.state["stop_reason"], status(ran.state)) == (SHORT, "single_pass", "partial")
    assert "300" in ran.state["answer"]
    assert "500" in ran.state["answer"]


@pytest.mark.parametrize("mode", ONE_PASS)
def test_what_one_pass_does_not_establish_goes_to_a_person_where_that_is_on(mode: Mode) -> None:
    ran = ask(thinking(score=0.1), MemoryRetriever(FOUND), QUESTION, REPLY, mode=mode)
    assert ran.nodes == [*nodes(mode)[:-1], "handoff", "generate"]
    assert (ran.state["stop_reason"], status(ran.state)) == ("human", "answered")


LOST: dict[str, tuple[str, Callable[[], dict[str, Any]]]] = {
    "a grader that hangs": ("deadline", lambda: {"grade": hang}),
    "no tokens": ("token_budget", lambda: {"route": costly(39_000)}),
    "no calls": ("call_budget", lambda: {"route": costly(1, 15)}),
}


def costly(tokens: int, calls: int = 1) -> Callable[[Any], Any]:
    usage = (Usage("m", tokens, 0, estimated=False),) * calls
    return lambda request: Reasoned(Route(True, "a question", request.question), usage)


@pytest.mark.parametrize("mode", PLAIN)
@pytest.mark.parametrize("lost", LOST)
def test_a_pass_that_a_budget_ended_is_not_said_to_have_looked(mode: Mode, lost: str) -> None:
    reason, scripts = LOST[lost]
    ran = ask(thinking(**scripts()), MemoryRetriever(FOUND), QUESTION, REPLY, mode=mode)
    assert (ran.nodes, ran.state["stop_reason"], status(ran.state)) == (SHORT, reason, "insufficient")
    assert ran.state["answer"].startswith("Stopped before the documents could be read")


@pytest.mark.parametrize("mode", WAYS)
def test_a_search_that_hangs_ends_at_the_deadline(mode: Mode) -> None:
    ran = ask(thinking(), Hanging(FOUND, "search"), QUESTION, mode=mode)
    assert (ran.state["stop_reason"], status(ran.state)) == ("deadline", "insufficient")
    assert ran.seconds <= dials()["deadline_s"]


@pytest.mark.parametrize("mode", WAYS)
def test_small_talk_and_an_empty_corpus_end_at_the_route(mode: Mode) -> None:
    ran = ask(thinking(), MemoryRetriever(), QUESTION, mode=mode)
    assert (ran.nodes, ran.state["stop_reason"]) == (["route", "generate"], "empty_corpus")
    assert ran.state["sub_questions"] == []


class Lost(MemoryRetriever):
    """Every lane of it fails."""

    async def search(self, request: SearchRequest) -> SearchResult:
        self.failing = set(request.queries)
        return await super().search(request)


@pytest.mark.parametrize("mode", WAYS)
def test_when_every_lane_is_lost_the_mode_is_no_reason(mode: Mode) -> None:
    ran = ask(thinking(), Lost(FOUND), QUESTION, mode=mode)
    assert (ran.state["stop_reason"], status(ran.state)) == ("source_unavailable", "failed")


@pytest.mark.parametrize("mode", WAYS)
def test_a_reasoner_that_is_down_fails_in_every_mode(mode: Mode) -> None:
    with pytest.raises(Unavailable):
        ask(thinking(grade=[Unavailable("The model is down.")]), MemoryRetriever(FOUND), QUESTION, mode=mode)


def test_one_search_is_judged_as_far_as_a_round_may_and_a_plan_as_far_as_each_part_may() -> None:
    sent = {}
    for mode in WAYS:
        reasoner = thinking(score=0.95)
        ask(reasoner, MemoryRetriever(FOUND), QUESTION, mode=mode)
        sent[mode] = len(reasoner.grade_requests[0].passages)
    assert sent == {**dict.fromkeys(SEARCHES, 9), "bm25_rerank": 5, "self_query": 3, "loop": 3}


def test_what_is_judged_first_is_what_the_search_put_first() -> None:
    class Reranked(MemoryRetriever):
        """Its reranker turned the order round."""

        async def search(self, request: SearchRequest) -> SearchResult:
            found = await super().search(request)
            docs = [{**doc, "rank": rank} for rank, doc in enumerate(reversed(found.docs), start=1)]
            return SearchResult(tuple(docs), found.lanes, found.searches)  # type: ignore[arg-type]  # a spread TypedDict

    reasoner = thinking()
    ran = ask(reasoner, Reranked(FOUND), QUESTION, mode="bm25_rerank")
    judged = [p.chunk_id for p in reasoner.grade_requests[0].passages]
    assert judged == [doc["chunk_id"] for doc in ran.state["docs"]]
    assert len(judged) == 5


@pytest.mark.parametrize("mode", WAYS)
def test_the_first_rewrite_goes_beside_the_route_only_where_there_is_one(mode: Mode) -> None:
    reasoner = thinking()
    ran = ask(reasoner, MemoryRetriever(FOUND), QUESTION, mode=mode, rewrite_beside_route=True)
    assert reasoner.calls.count("rewrite") == (0 if mode in SEARCHES else 1)
    assert ran.nodes == nodes(mode)


@pytest.mark.parametrize("mode", ONE_PASS)
def test_the_longest_way_of_one_pass_is_within_the_smallest_recursion_limit(mode: Mode) -> None:
    ran = ask(thinking(score=0.1), MemoryRetriever(FOUND), QUESTION, REPLY, mode=mode, max_retries=0, max_tool_calls=1)
    assert ran.nodes[-2:] == ["handoff", "generate"]
