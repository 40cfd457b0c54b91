import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from context.reasoning import Route
from errors import BadRequest, NotFound
from runs.ask import Ask, ask
from runs.engine import Engine, config
from runs.history import history
from runs.replay import Replay, replay
from runs.stream import answered
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import ALICE, BOB, TEXTS, dials, engine_over, scripted

QUESTION = Ask("How many days of paid leave?")
NODES = ["route", "rewrite", "retrieve", "evaluate", "generate"]


async def step(engine: Engine, thread_id: str, node: str, *, last: bool = False) -> str:
    """The checkpoint that the node wrote, in the first turn or the last."""
    steps = (await history(engine, ALICE, thread_id))["steps"]
    return str([one["checkpoint_id"] for one in steps if one["node"] == node][-1 if last else 0])


async def again(engine: Engine, said: dict[str, Any], node: str, **edits: Any) -> dict[str, Any]:
    checkpoint_id = await step(engine, said["thread_id"], node)
    return await answered(replay(engine, ALICE, Replay(said["thread_id"], checkpoint_id, edits)))


@pytest.mark.parametrize(("node", "ran"), [(node, NODES[place:]) for place, node in enumerate(["start", *NODES[:-1]])])
async def test_what_comes_after_the_step_runs_anew_and_is_named(node: str, ran: list[str]) -> None:
    reasoner = scripted()
    async with engine_over(reasoner) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        checkpoint_id = await step(engine, said["thread_id"], node)
        reasoner.calls.clear()
        replayed = await answered(replay(engine, ALICE, Replay(said["thread_id"], checkpoint_id)))
    assert replayed["ran"] == ran
    thinking = {"route": "route", "rewrite": "rewrite", "evaluate": "grade", "generate": "answer"}
    assert reasoner.calls == [thinking[name] for name in ran if name in thinking]
    assert replayed["replay_of"] == {"thread_id": said["thread_id"], "checkpoint_id": checkpoint_id}
    assert replayed["thread_id"] != said["thread_id"]
    assert (replayed["edited"], replayed["differs"]) == ([], [])
    assert replayed["answer"] == said["answer"]


def dump(path: Path, thread_id: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as db:
        return [
            db.execute(f"SELECT * FROM {table} WHERE thread_id = ? ORDER BY 1, 2, 3, 4", (thread_id,)).fetchall()  # noqa: S608
            for table in ("checkpoints", "writes")
        ]


async def test_the_recorded_thread_stays_byte_for_byte_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with engine_over(path=path) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        before = dump(path, said["thread_id"])
        assert len(before[0]) > 5
        await again(engine, said, "start", question="Another?")
        assert dump(path, said["thread_id"]) == before


async def test_counts_carry_over_and_the_deadline_starts_again() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        replayed = await again(engine, said, "retrieve")
        kept = await engine.graph.aget_state(config(said["thread_id"]))
        new = await engine.graph.aget_state(config(replayed["thread_id"]))
    assert replayed["usage"]["searches"] == said["usage"]["searches"] == 2
    assert new.values["started_at"] > kept.values["started_at"] + 0.01


async def test_edited_queries_are_what_is_searched_for() -> None:
    retriever = MemoryIndex(TEXTS)
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        replayed = await again(engine, said, "rewrite", rewritten_queries=[{"text": "holiday", "gap": "q1"}])
    assert retriever.requests[-1].queries == (QUESTION.question, "holiday")
    assert replayed["edited"] == ["rewritten_queries"]


async def test_an_edited_question_is_what_is_asked() -> None:
    reasoner = scripted()
    async with engine_over(reasoner) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        replayed = await again(engine, said, "start", question=" How long is the notice period? ")
    assert reasoner.route_requests[-1].question == "How long is the notice period?"
    assert replayed["edited"] == ["question"]


async def test_edited_dials_decide_and_stay_capped() -> None:
    limits = dials(max_retries=2)
    async with engine_over(scripted(score=0.8), limits=limits) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        replayed = await again(engine, said, "retrieve", dials={"threshold": 0.9, "max_retries": 1})
        with pytest.raises(BadRequest, match="not raised"):
            await again(engine, said, "retrieve", dials={"max_retries": 3})
    assert (said["stop_reason"], said["retry_count"]) == ("sufficient", 0)
    assert (replayed["stop_reason"], replayed["retry_count"]) == ("max_retries", 1)


async def test_an_edit_at_the_end_decides_anew_whether_that_was_enough() -> None:
    async with engine_over(scripted(score=0.8), limits=dials(max_retries=1)) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        stricter = await again(engine, said, "evaluate", dials={"threshold": 0.9})
        another = await again(engine, said, "evaluate", sub_questions=[{"text": "How long is the notice period?"}])
        same = await again(engine, said, "evaluate", dials={"threshold": 0.75})
    assert (stricter["ran"][0], stricter["status"], stricter["stop_reason"]) == (
        "rewrite",
        "insufficient",
        "max_retries",
    )
    assert (another["ran"][0], another["retry_count"]) == ("rewrite", 1)
    assert (same["ran"], same["status"], same["stop_reason"]) == (["generate"], "answered", "sufficient")


async def test_what_is_not_as_it_was_is_said() -> None:
    retriever = MemoryIndex(TEXTS)
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        retriever.generation += 1
        retriever.embedder_name = None
        replayed = await again(engine, said, "route")
        twice = await again(engine, replayed, "route")
    assert sorted(replayed["differs"]) == ["embedder", "index_generation"]
    assert twice["differs"] == []


async def test_a_replay_has_a_history_and_can_be_asked_on() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        replayed = await again(engine, said, "retrieve")
        more = await answered(ask(engine, ALICE, Ask("The notice period?", thread_id=replayed["thread_id"])))
        steps = (await history(engine, ALICE, replayed["thread_id"]))["steps"]
    assert [one["node"] for one in steps[:3]] == ["retrieve", "evaluate", "generate"]
    assert more["status"] == "answered"


async def test_a_second_turn_replays_with_the_turns_before_it() -> None:
    reasoner = scripted()
    async with engine_over(reasoner) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        await answered(ask(engine, ALICE, Ask("The notice period?", thread_id=said["thread_id"])))
        checkpoint_id = await step(engine, said["thread_id"], "start", last=True)
        await answered(replay(engine, ALICE, Replay(said["thread_id"], checkpoint_id)))
    assert [turn["question"] for turn in reasoner.route_requests[-1].history] == [QUESTION.question]


@pytest.mark.parametrize(
    "edits",
    [
        {"answer": "42"},
        {"docs": []},
        {"docs": ["leave#1", "unknown#1"]},
        {"docs": "leave#1"},
        {"docs": [1]},
        {"spent": {}},
        {"mode": "magic"},
        {"question": " "},
        {"question": 7},
        {"filters": {"$nope": 1}},
        {"filters": "year"},
        {"dials": [1]},
        {"dials": {"model": "x"}},
    ],
)
async def test_an_edit_that_cannot_be_made_is_refused_before_anything_runs(edits: dict[str, Any]) -> None:
    reasoner = scripted()
    async with engine_over(reasoner) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        reasoner.calls.clear()
        with pytest.raises(BadRequest):
            await again(engine, said, "retrieve", **edits)
    assert reasoner.calls == []


async def test_a_forbidden_edit_is_told_what_is_allowed() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        with pytest.raises(BadRequest, match="question, sub_questions, rewritten_queries, docs, filters, mode, dials"):
            await again(engine, said, "retrieve", answer="42")


async def test_a_finished_step_has_nothing_to_replay() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        with pytest.raises(BadRequest, match="Nothing comes after"):
            await again(engine, said, "generate")


async def test_a_checkpoint_that_is_no_step_cannot_be_replayed() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        kept = [snapshot async for snapshot in engine.graph.aget_state_history(config(said["thread_id"]))]
        oldest = kept[-1].config["configurable"]["checkpoint_id"]
        with pytest.raises(BadRequest, match="steps that the thread's history lists"):
            await answered(replay(engine, ALICE, Replay(said["thread_id"], oldest)))


@pytest.mark.parametrize("checkpoint_id", ["", "x", "1f1ecd42-b7ee-6112-8002-77a2af66f288", "\ud800"])
async def test_an_unknown_checkpoint_is_not_found(checkpoint_id: str) -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        with pytest.raises(NotFound):
            await answered(replay(engine, ALICE, Replay(said["thread_id"], checkpoint_id)))


async def test_another_tenants_checkpoint_is_not_found() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        checkpoint_id = await step(engine, said["thread_id"], "route")
        with pytest.raises(NotFound):
            await answered(replay(engine, BOB, Replay(said["thread_id"], checkpoint_id)))


async def test_small_talk_replays_without_the_index() -> None:
    reasoner = ScriptedReasoner(route=[Route(False, "greeting", "hi")], answer=["Hello.", "Hello again."])
    async with engine_over(reasoner) as engine:
        said = await answered(ask(engine, ALICE, Ask("hi")))
        replayed = await again(engine, said, "route")
    assert (replayed["ran"], replayed["answer"], replayed["stop_reason"]) == (["generate"], "Hello again.", "direct")
