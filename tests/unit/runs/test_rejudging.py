"""What was found and recorded is judged anew: no search, no way back, and everything of it at once."""

from typing import Any

import pytest

from context.reasoning import GradeRequest, Judgement, Route
from errors import BadRequest
from runs.ask import Ask, ask
from runs.engine import Engine, config
from runs.history import history
from runs.replay import Replay, replay
from runs.stream import answered
from tests.fakes.index import MemoryIndex
from tests.fakes.reasoner import ScriptedReasoner
from tests.fakes.service import ALICE, TEXTS, engine_over, grading, scripted

QUESTION = Ask("How many days of paid leave?")


async def step(engine: Engine, thread_id: str, node: str) -> str:
    steps = (await history(engine, ALICE, thread_id))["steps"]
    return str([one["checkpoint_id"] for one in steps if one["node"] == node][-1])


async def rejudged(engine: Engine, said: dict[str, Any], node: str, **edits: Any) -> dict[str, Any]:
    request = Replay(said["thread_id"], await step(engine, said["thread_id"], node), edits, recorded_evidence=True)
    return await answered(replay(engine, ALICE, request))


@pytest.mark.parametrize("node", ["retrieve", "evaluate", "generate"])
@pytest.mark.parametrize("mode", ["loop", "self_query", "hybrid", "agent"])
async def test_from_every_step_with_evidence_only_judging_and_answering_run(node: str, mode: str) -> None:
    if (node, mode) == ("retrieve", "agent"):
        node = "agent"
    retriever = MemoryIndex(TEXTS)
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION.question, mode=mode)))
        searched = len(retriever.requests)
        again = await rejudged(engine, said, node)
        steps = (await history(engine, ALICE, again["thread_id"]))["steps"]
    assert len(retriever.requests) == searched
    assert (again["ran"], again["edited"]) == (["evaluate", "generate"], ["evidence"])
    assert (again["status"], again["stop_reason"]) == ("answered", "sufficient")
    assert again["answer"] == said["answer"]
    assert again["usage"]["searches"] == said["usage"]["searches"]
    assert [one["next"] for one in steps] == [["evaluate"], ["generate"], []]


async def test_a_stricter_judge_does_not_lead_back_to_rewrite() -> None:
    score = [0.95]
    async with engine_over(scripted(score=lambda request: score[0])) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        score[0] = 0.6
        again = await rejudged(engine, said, "evaluate")
    assert again["ran"] == ["evaluate", "generate"]
    assert (again["status"], again["stop_reason"], again["relevance_score"]) == ("insufficient", "single_pass", 0.6)
    assert again["citations"] == []


async def test_the_evidence_of_every_round_is_judged_and_all_at_once() -> None:
    texts = {f"d{n}": f"Passage {n}." for n in range(20)}
    seen: list[GradeRequest] = []

    def score(request: GradeRequest) -> float:
        seen.append(request)
        return 0.3

    async with engine_over(scripted(score=score), MemoryIndex(texts)) as engine:
        said = await answered(ask(engine, ALICE, Ask(QUESTION.question, budget={"max_retries": 1})))
        judged = {passage.chunk_id for request in seen for passage in request.passages}
        seen.clear()
        again = await rejudged(engine, said, "evaluate")
    assert said["retry_count"] == again["retry_count"] == 1
    assert [{passage.chunk_id for passage in request.passages} for request in seen] == [judged]


async def test_what_was_answered_is_no_turn_of_the_replay_and_the_threshold_may_change() -> None:
    async with engine_over(scripted(score=0.8)) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        again = await rejudged(engine, said, "generate", dials={"threshold": 0.9})
        kept = await engine.graph.aget_state(config(again["thread_id"]))
    assert again["stop_reason"] == "single_pass"
    assert [turn["question"] for turn in kept.values["history"]] == [QUESTION.question]


async def test_the_next_question_of_the_replay_searches_as_ever() -> None:
    retriever = MemoryIndex(TEXTS)
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        again = await rejudged(engine, said, "evaluate")
        searched = len(retriever.requests)
        await answered(ask(engine, ALICE, Ask("The notice period?", thread_id=again["thread_id"])))
        kept = await engine.graph.aget_state(config(again["thread_id"]))
    assert len(retriever.requests) > searched
    assert kept.values["rejudged"] == []


async def test_what_is_no_longer_readable_is_not_judged() -> None:
    retriever = MemoryIndex(TEXTS)
    async with engine_over(retriever=retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        retriever.passages.clear()
        again = await rejudged(engine, said, "evaluate")
    assert (again["status"], again["citations"]) == ("insufficient", [])


async def test_a_step_without_evidence_and_small_talk_are_refused() -> None:
    reasoner = ScriptedReasoner(route=[Route(False, "greeting", "hi")], answer=["Hello."])
    async with engine_over(reasoner) as engine:
        said = await answered(ask(engine, ALICE, Ask("hi")))
        with pytest.raises(BadRequest, match="Nothing had been found"):
            await rejudged(engine, said, "route")
    async with engine_over() as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        with pytest.raises(BadRequest, match="Nothing had been found"):
            await rejudged(engine, said, "rewrite")


async def test_given_chunks_are_what_is_judged() -> None:
    seen: list[GradeRequest] = []
    retriever = MemoryIndex(TEXTS)

    def grade(request: GradeRequest) -> tuple[Judgement, ...]:
        seen.append(request)
        return grading(0.95)(request)

    async with engine_over(scripted(grade=grade), retriever) as engine:
        said = await answered(ask(engine, ALICE, QUESTION))
        chosen = [chunk for chunk in retriever.passages if chunk.startswith("notice")]
        again = await rejudged(engine, said, "evaluate", docs=chosen)
        at_retrieve = Replay(said["thread_id"], await step(engine, said["thread_id"], "retrieve"), {"docs": chosen})
        plainly = await answered(replay(engine, ALICE, at_retrieve))
        late = Replay(said["thread_id"], await step(engine, said["thread_id"], "evaluate"), {"docs": chosen})
        with pytest.raises(BadRequest, match="only right after a retrieve"):
            await answered(replay(engine, ALICE, late))
    assert [passage.chunk_id for passage in seen[-1].passages] == chosen
    assert again["edited"] == ["docs", "evidence"]
    assert again["answer"] == plainly["answer"] == "The notice period is 3 months [1]."
