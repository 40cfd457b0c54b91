import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from langsmith import utils

from context.reasoning import Route, RouteRequest
from errors import BadRequest, Conflict, NotFound, TooLarge, Unavailable
from graph.turn import recursion_limit
from runs.ask import Ask, ask
from runs.events import Event
from runs.stream import answered, opened
from runs.threads import current
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import ALICE, BOB, TEXTS, dials, engine_over, scripted

QUESTION = Ask("How many days of paid leave?")


async def events_of(events: AsyncGenerator[Event, None]) -> list[Event]:
    async with aclosing(events):
        return [event async for event in events]


async def test_an_ask_yields_ids_nodes_tokens_and_one_answer() -> None:
    async with engine_over() as engine:
        events = await events_of(ask(engine, ALICE, QUESTION))
    assert [event.type for event in events if event.type != "node"] == ["run", "token", "answer"]
    steps = [(event.data["name"], event.data["phase"]) for event in events if event.type == "node"]
    names = ["route", "rewrite", "retrieve", "evaluate", "generate"]
    assert steps == [(name, phase) for name in names for phase in ("start", "end")]
    answer = events[-1].data
    begun = dict(events[0].data)
    assert begun.pop("budget")["max_retries"] == 3
    assert {name: answer[name] for name in begun} == begun
    assert (answer["status"], answer["stop_reason"]) == ("answered", "sufficient")


async def test_the_tokens_joined_are_the_answer() -> None:
    pieces = ["Employees have 20 days [1]. ", "More", " text [1].\n\n", "| a | b |\n", "end: x [1]."]
    async with engine_over(scripted(answer=lambda request: pieces)) as engine:
        events = await events_of(ask(engine, ALICE, QUESTION))
    tokens = [event.data["text"] for event in events if event.type == "token"]
    assert len(tokens) > 1
    assert "".join(tokens) == events[-1].data["answer"]


@pytest.mark.parametrize(
    "request_",
    [
        Ask(""),
        Ask(" \n\t\u200b\u3000"),
        Ask("q", mode="magic"),
        Ask("q", mode=""),
        Ask("q", filters={"$nope": 1}),
        Ask("q", budget={"max_retries": 4}),
        Ask("q", budget={"top_k": 1}),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_anything_runs(request_: Ask) -> None:
    reasoner = ScriptedReasoner()
    async with engine_over(reasoner) as engine:
        with pytest.raises(BadRequest):
            await answered(ask(engine, ALICE, request_))
    assert reasoner.calls == []


async def test_a_question_that_is_too_long_is_refused_as_such() -> None:
    async with engine_over() as engine:
        with pytest.raises(TooLarge, match="4,001 characters"):
            await answered(ask(engine, ALICE, Ask("x" * 4_001)))


@pytest.mark.parametrize("thread_id", ["", "nope", "0" * 32, "\x00", "\ud800", "../etc", "A" * 32])
async def test_an_unknown_thread_is_not_found(thread_id: str) -> None:
    async with engine_over() as engine:
        with pytest.raises(NotFound):
            await answered(ask(engine, ALICE, Ask("q", thread_id=thread_id)))


async def test_a_foreign_thread_is_not_found_and_not_touched() -> None:
    async with engine_over() as engine:
        mine = await answered(ask(engine, ALICE, QUESTION))
        with pytest.raises(NotFound) as foreign:
            await answered(ask(engine, BOB, Ask("q", thread_id=mine["thread_id"])))
        with pytest.raises(NotFound) as absent:
            await answered(ask(engine, BOB, Ask("q", thread_id="0" * 32)))
    assert foreign.value.sentence == absent.value.sentence


async def test_a_running_thread_refuses_a_second_run_and_takes_it_later() -> None:
    reached, go = asyncio.Event(), asyncio.Event()

    async def slow(request: Any) -> Route:
        reached.set()
        await go.wait()
        return Route(False, "greeting", request.question)

    reasoner = ScriptedReasoner(route=slow, answer=lambda request: "Hello.")
    async with engine_over(reasoner) as engine:
        go.set()
        first = await answered(ask(engine, ALICE, Ask("hello")))
        go.clear()
        reached.clear()
        again = Ask("hello again", thread_id=first["thread_id"])
        running = asyncio.create_task(answered(ask(engine, ALICE, again)))
        await reached.wait()
        run_id = engine.locks.running(first["thread_id"])
        with pytest.raises(Conflict, match=str(run_id)):
            await answered(ask(engine, ALICE, again))
        go.set()
        await running
        assert (await answered(ask(engine, ALICE, again)))["status"] == "answered"


async def test_every_lane_lost_and_nothing_confirmed_is_a_failure_not_an_answer() -> None:
    retriever = MemoryIndex(TEXTS, broken=["keyword", "vector"])
    async with engine_over(retriever=retriever) as engine:
        with pytest.raises(Unavailable) as lost:
            await answered(ask(engine, ALICE, QUESTION))
    assert lost.value.reason == "source_unavailable"


async def test_one_lane_lost_is_said_and_the_other_answers() -> None:
    async with engine_over(retriever=MemoryIndex(TEXTS, broken=["vector"])) as engine:
        events = await events_of(ask(engine, ALICE, QUESTION))
    assert events[-1].data["status"] == "answered"
    retrieved = next(e for e in events if e.data.get("name") == "retrieve" and e.data["phase"] == "end")
    failed = {lane["lane"]: lane["error"] for lane in retrieved.data["changed"]["lanes"]}
    assert failed == {"keyword": None, "vector": "the vector lane failed"}


@pytest.mark.parametrize("retries", [0, 3, 20])
async def test_a_grader_that_always_says_no_ends_at_the_retry_count(retries: int) -> None:
    limits = dials(max_retries=retries, max_searches=1_000, max_barren_rounds=100)
    async with engine_over(scripted(score=0.1), limits=limits) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
    assert (said["status"], said["stop_reason"], said["retry_count"]) == ("insufficient", "max_retries", retries)
    assert said["answer"] == "The available documents do not answer this question."
    assert said["citations"] == []
    assert len(said["timings"]["nodes"]) < recursion_limit(limits)


async def test_a_cancelled_ask_lets_go_of_its_thread_and_leaves_it_readable() -> None:
    reached = asyncio.Event()

    async def never(request: Any) -> Route:
        reached.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    steps: list[Any] = [Route(False, "greeting", "hi"), never, Route(False, "greeting", "hi")]
    async with engine_over(ScriptedReasoner(route=steps, answer=lambda request: "Hello.")) as engine:
        first = await answered(ask(engine, ALICE, Ask("hi")))
        again = Ask("hi", thread_id=first["thread_id"])
        running = asyncio.create_task(answered(ask(engine, ALICE, again)))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert engine.locks.running(first["thread_id"]) is None
        assert (await answered(ask(engine, ALICE, again)))["answer"] == "Hello."


async def test_nothing_is_traced_to_anybody_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    forget: Any = utils.get_env_var
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    forget.cache_clear()
    assert utils.tracing_is_enabled()
    seen: list[object] = []

    def route(request: RouteRequest) -> Route:
        seen.append(utils.tracing_is_enabled())
        return Route(False, "greeting", request.question)

    async with engine_over(ScriptedReasoner(route=route, answer=["Hello."])) as engine:
        await answered(ask(engine, ALICE, Ask("hello")))
    monkeypatch.undo()
    forget.cache_clear()
    assert seen == [False]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_every_durability_keeps_the_finished_turn(durability: str) -> None:
    async with engine_over(durability=durability) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        kept = await current(engine, ALICE, said["thread_id"])
    assert kept["reply"]["checkpoint_id"] == said["checkpoint_id"]


async def test_a_stream_that_nobody_reads_lets_go_of_its_thread() -> None:
    async with engine_over() as engine:
        events = await opened(ask(engine, ALICE, QUESTION))
        assert list(engine.locks._running)
        del events
        gc.collect()
        for _ in range(500):  # that the run has ended is written down first
            await asyncio.sleep(0.01)
            if not engine.locks._running:
                break
        assert not engine.locks._running
