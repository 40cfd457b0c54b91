from __future__ import annotations

from typing import Any, get_args

import pytest

from context.reasoning import Route, RouteRequest
from context.retrieval import Principal, SearchRequest
from errors import BadRequest
from runs.ask import Ask, ask
from runs.engine import MODES
from runs.history import history
from runs.modes import (
    KEYWORDS_ALONE,
    NO_VECTORS,
    NOT_BUILT,
    NOT_REORDERED,
    checked_mode,
    checked_search_mode,
    described,
    in_mode,
    refuse_unusable,
)
from runs.replay import Replay, replay
from runs.stream import answered, opened
from state import Mode
from tests.fakes.index import MemoryIndex
from tests.fakes.service import ALICE, TEXTS, dials, engine_over, scripted

QUESTION = "How many days of paid leave?"
PLAIN = ("bm25", "naive", "bm25_rerank", "hybrid", "hybrid_rerank")
ONE_PASS = (*PLAIN, "self_query")
SHORT = ["route", "retrieve", "evaluate", "generate"]
PLANNED = ["route", "rewrite", "retrieve", "evaluate", "generate"]


@pytest.mark.parametrize("mode", ["agent", "magic", "", None, ["loop"], {"loop": 1}, 1])
def test_what_is_no_mode_is_told_which_are(mode: Any) -> None:
    with pytest.raises(
        BadRequest, match="these are: bm25, naive, bm25_rerank, hybrid, hybrid_rerank, self_query, loop"
    ):
        checked_mode(mode)


def test_a_mode_of_more_than_one_search_is_none_of_a_bare_search() -> None:
    assert tuple(map(checked_search_mode, PLAIN)) == PLAIN
    for mode in ("loop", "self_query", "agent"):
        with pytest.raises(BadRequest, match=r"hybrid, hybrid_rerank\.$"):
            checked_search_mode(mode)


def test_a_bare_search_keeps_as_many_as_asked_or_as_the_mode_says() -> None:
    request = SearchRequest(("leave",), Principal())
    kept = {(mode, k): in_mode(mode, request, k).top_k for mode in ("bm25", "bm25_rerank") for k in (None, 7)}
    assert kept == {("bm25", None): 10, ("bm25", 7): 7, ("bm25_rerank", None): 5, ("bm25_rerank", 7): 7}


def test_only_what_has_nothing_left_to_search_is_refused() -> None:
    without = MemoryIndex(TEXTS, vector=False)
    for mode in MODES:
        refuse_unusable(mode, MemoryIndex(TEXTS))
        if mode != "naive":
            refuse_unusable(mode, without)
    with pytest.raises(BadRequest, match=r"there is no embedder\. These can: bm25, bm25_rerank, ") as refused:
        refuse_unusable("naive", without)
    assert refused.value.reason == "mode_unavailable"


@pytest.mark.parametrize("reranker", [None, "bge"])
async def test_a_description_says_what_a_deployment_leaves_out(reranker: str | None) -> None:
    index = MemoryIndex(TEXTS, vector=False)
    index.reranker_name = reranker
    async with engine_over(retriever=index, mode="hybrid") as engine:
        page = described(engine, ALICE)
    told = {one["mode"]: one for one in page["modes"]}
    assert list(told) == list(get_args(Mode))
    assert (page["default"], [mode for mode, one in told.items() if one["default"]]) == ("hybrid", ["hybrid"])
    why = {mode: one["why_not"] for mode, one in told.items() if not one["available"]}
    assert why == {"naive": NO_VECTORS, "agent": NOT_BUILT}
    alone = [KEYWORDS_ALONE]
    assert {mode: one["degraded"] for mode, one in told.items() if one["degraded"]} == {
        "bm25_rerank": [NOT_REORDERED],
        "hybrid": alone,
        "hybrid_rerank": alone if reranker else [*alone, NOT_REORDERED],
        "self_query": alone,
        "loop": alone,
    }


async def test_a_description_is_the_way_that_is_taken() -> None:
    async with engine_over(limits=dials(max_retries=2)) as engine:
        told = {one["mode"]: one for one in described(engine, ALICE)["modes"]}
        for mode in MODES:
            events = [event async for event in ask(engine, ALICE, Ask(QUESTION, mode=mode))]
            walked = [e.data["name"] for e in events if e.type == "node" and e.data["phase"] == "end"]
            assert walked == told[mode]["path"]["nodes"]
            assert (events[0].data["mode"], events[-1].data["mode"]) == (mode, mode)
    assert {mode: told[mode]["path"]["rounds_at_most"] for mode in MODES} == {**dict.fromkeys(ONE_PASS, 1), "loop": 3}


async def test_the_deployments_mode_is_that_of_an_ask_without_one() -> None:
    async with engine_over(mode="bm25") as engine:
        usual = await answered(ask(engine, ALICE, Ask(QUESTION)))
        other = await answered(ask(engine, ALICE, Ask(QUESTION, mode="loop")))
        steps = (await history(engine, ALICE, usual["thread_id"]))["steps"]
    assert (usual["mode"], other["mode"]) == ("bm25", "loop")
    assert steps[0]["changed"]["mode"] == "bm25"


async def test_a_follow_up_is_made_to_stand_alone_in_one_pass_too() -> None:
    index = MemoryIndex(TEXTS)

    def route(request: RouteRequest) -> Route:
        return Route(True, "look up", "What is the notice period?" if request.history else request.question)

    async with engine_over(scripted(route=route), index) as engine:
        first = await answered(ask(engine, ALICE, Ask(QUESTION, mode="hybrid")))
        await answered(ask(engine, ALICE, Ask("And the notice?", first["thread_id"], mode="bm25")))
    assert [one.queries for one in index.requests] == [(QUESTION,), ("What is the notice period?",)]


async def test_what_a_search_lost_is_a_warning_in_the_reply() -> None:
    async with engine_over(retriever=MemoryIndex(TEXTS, broken=["vector"])) as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION, mode="hybrid")))
        lost = [e async for e in await opened(ask(engine, ALICE, Ask(QUESTION, mode="naive")))]
    assert (said["status"], said["warnings"]) == ("answered", ["the vector lane failed"])
    assert lost[-1].data["stop_reason"] == "source_unavailable"


async def test_naive_without_vectors_is_refused_before_anything_runs() -> None:
    reasoner = scripted()
    async with engine_over(reasoner, MemoryIndex(TEXTS, vector=False)) as engine:
        with pytest.raises(BadRequest, match="vector lane is off"):
            await answered(ask(engine, ALICE, Ask(QUESTION, mode="naive")))
    assert reasoner.calls == []


REPLAYED = [
    ("loop", "route", "bm25", SHORT[1:]),
    ("bm25", "route", "loop", PLANNED[1:]),
    ("bm25", "route", "hybrid", SHORT[1:]),
    ("loop", "route", "self_query", PLANNED[1:]),
    ("loop", "start", "bm25", SHORT),
    ("loop", "rewrite", "bm25", PLANNED[2:]),
    ("loop", "retrieve", "bm25", PLANNED[3:]),
]


@pytest.mark.parametrize(("first", "step", "then", "ran"), REPLAYED)
async def test_a_replay_goes_the_way_of_the_mode_it_is_given(first: str, step: str, then: str, ran: list[str]) -> None:
    index = MemoryIndex(TEXTS)
    async with engine_over(retriever=index) as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION, mode=first)))
        again = await replayed(engine, said, step, mode=then)
    assert (again["ran"], again["mode"], again["edited"]) == (ran, then, ["mode"])
    assert (again["status"], again["stop_reason"]) == ("answered", "sufficient")
    assert [entry["text"] for entry in again["ledger"]] == [QUESTION]


async def test_after_evaluation_a_mode_opens_the_way_back_or_closes_it() -> None:
    async with engine_over(scripted(score=0.6), limits=dials(max_retries=1)) as engine:
        once = await answered(ask(engine, ALICE, Ask(QUESTION, mode="bm25")))
        rounds = await answered(ask(engine, ALICE, Ask(QUESTION)))
        opened_again = await replayed(engine, once, "evaluate", mode="loop")
        closed = await replayed(engine, rounds, "evaluate", mode="bm25")
    assert (once["stop_reason"], rounds["stop_reason"]) == ("single_pass", "max_retries")
    assert opened_again["ran"] == ["rewrite", "retrieve", "evaluate", "generate"]
    assert (opened_again["stop_reason"], opened_again["retry_count"]) == ("max_retries", 1)
    assert (closed["ran"], closed["stop_reason"]) == (["generate"], "single_pass")


async def test_a_mode_that_nothing_would_read_is_refused() -> None:
    index = MemoryIndex({})
    async with engine_over(retriever=index) as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION)))
        with pytest.raises(BadRequest, match="not at this step"):
            await replayed(engine, said, "route", mode="bm25")
        with pytest.raises(BadRequest, match="not built yet"):
            await replayed(engine, said, "start", mode="agent")


async def replayed(engine: Any, said: dict[str, Any], node: str, **edits: Any) -> dict[str, Any]:
    steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
    checkpoint = next(one["checkpoint_id"] for one in steps if one["node"] == node)
    return await answered(replay(engine, ALICE, Replay(said["thread_id"], checkpoint, edits)))
