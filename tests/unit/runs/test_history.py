import pytest

from errors import Conflict, NotFound
from runs.ask import Ask, ask
from runs.history import history
from runs.replay import Replay, replay
from runs.stream import answered
from tests.fakes.service import ALICE, BOB, engine_over, scripted

QUESTION = "How many days of paid leave?"
NODES = ["start", "route", "rewrite", "retrieve", "evaluate", "generate"]


async def test_every_step_of_every_turn_oldest_first_without_a_call() -> None:
    reasoner = scripted()
    async with engine_over(reasoner) as engine:
        first = await answered(ask(engine, ALICE, Ask(QUESTION)))
        second = await answered(ask(engine, ALICE, Ask("The notice period?", thread_id=first["thread_id"])))
        calls = len(reasoner.calls)
        kept = await history(engine, ALICE, first["thread_id"])
    assert len(reasoner.calls) == calls
    steps = kept["steps"]
    assert [step["node"] for step in steps] == NODES * 2
    assert [step["next"] for step in steps[:6]] == [[name] for name in NODES[1:]] + [[]]
    assert [steps[5]["checkpoint_id"], steps[11]["checkpoint_id"]] == [first["checkpoint_id"], second["checkpoint_id"]]
    assert steps[6]["changed"] == {"question": "The notice period?", "mode": "loop", "filters": None}
    assert steps[0]["duration_ms"] is None
    assert all(step["duration_ms"] > 0 for step in steps[1:6])


async def test_each_step_tells_why_it_went_on_and_what_it_cost() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION)))
        steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
    codes = [step["why"]["code"] for step in steps]
    assert codes == ["asked", "needs_documents", "new_queries", "judge", "sufficient", "answered"]
    assert sum(step["cost"]["searches"] for step in steps) == said["usage"]["searches"]
    assert [step["cost"]["searches"] for step in steps] == [0, 0, 0, 2, 0, 0]


async def test_a_second_turn_is_counted_from_nothing_and_a_copied_step_costs_nothing() -> None:
    async with engine_over() as engine:
        first = await answered(ask(engine, ALICE, Ask(QUESTION)))
        await answered(ask(engine, ALICE, Ask("The notice period?", thread_id=first["thread_id"])))
        steps = (await history(engine, ALICE, first["thread_id"]))["steps"]
        again = await answered(replay(engine, ALICE, Replay(first["thread_id"], steps[3]["checkpoint_id"])))
        copied = (await history(engine, ALICE, again["thread_id"]))["steps"]
    assert [step["cost"] for step in steps[:6]] == [step["cost"] for step in steps[6:]]
    assert [step["cost"]["searches"] for step in copied] == [0, 0, 0]


async def test_rounds_are_counted_from_nought() -> None:
    scores = iter([0.2, 0.2, 0.95])
    async with engine_over(scripted(score=lambda request: next(scores))) as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION, budget={"max_barren_rounds": 2})))
        kept = await history(engine, ALICE, said["thread_id"])
    rounds = {(step["node"], step["round"]) for step in kept["steps"]}
    assert {("rewrite", 0), ("rewrite", 1), ("evaluate", 1)} <= rounds


async def test_the_steps_name_no_text_of_a_chunk() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION)))
        kept = await history(engine, ALICE, said["thread_id"])
    assert "20 days" not in str(kept)


async def test_another_tenants_thread_is_not_found() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION)))
        with pytest.raises(NotFound):
            await history(engine, BOB, said["thread_id"])


async def test_a_thread_that_a_newer_version_wrote_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    async with engine_over() as engine:
        with monkeypatch.context() as newer:
            newer.setattr("graph.turn.SCHEMA", 2)
            said = await answered(ask(engine, ALICE, Ask(QUESTION)))
        with pytest.raises(Conflict, match="newer version"):
            await history(engine, ALICE, said["thread_id"])
        with pytest.raises(Conflict, match="newer version"):
            await answered(ask(engine, ALICE, Ask(QUESTION, thread_id=said["thread_id"])))
