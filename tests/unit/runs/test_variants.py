"""A replay with another model or by other prompts: by names that are configured, and said afterwards."""

from dataclasses import replace

import pytest

from context.run import Context
from errors import BadRequest
from runs.ask import Ask, ask
from runs.diff import diff
from runs.history import history
from runs.replay import Replay, replay
from runs.stream import answered
from tests.fakes.service import ALICE, engine_over, scripted

QUESTION = Ask("How many days of paid leave?")


async def test_a_replay_thinks_with_what_was_asked_for_and_says_so() -> None:
    reasoner, other = scripted(), scripted(answer=lambda request: "Twenty days [1].")
    reasoner.name, other.name = "llm:m:prompts-11111111", "llm:other:prompts-22222222"
    wanted: list[tuple[str | None, str | None]] = []

    def varied(context: Context, model: str | None, prompts: str | None) -> Context:
        wanted.append((model, prompts))
        return replace(context, reasoner=other)

    async with engine_over(reasoner, varied=varied) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
        request = Replay(said["thread_id"], steps[-2]["checkpoint_id"], model="fast", prompts="strict")
        again = await answered(replay(engine, ALICE, request))
        compared = await diff(engine, ALICE, said["thread_id"], again["thread_id"])
    assert wanted == [("fast", "strict")]
    assert (again["answer"], again["ran"]) == ("Twenty days [1].", ["generate"])
    assert (again["edited"], again["differs"]) == (["model", "prompts"], ["model", "prompts"])
    assert compared["differs"] == ["model", "prompts"]
    assert (compared["ran_on"]["after"]["model"], compared["ran_on"]["after"]["prompts"]) == ("llm:other", "22222222")


async def test_without_any_configured_a_name_is_refused() -> None:
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        steps = (await history(engine, ALICE, said["thread_id"]))["steps"]
        with pytest.raises(BadRequest, match="No other models"):
            await answered(replay(engine, ALICE, Replay(said["thread_id"], steps[0]["checkpoint_id"], model="fast")))
